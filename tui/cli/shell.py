"""The command `memdesk` itself: its verbs by family, loaded when called; flags that every verb takes; and failures.

Every failure is one plain sentence with a stable code and an exit code (DESIGN 10): 0 done, 1 refused or failed,
2 wrong usage, 3 waits for approval, 4 not found. With `--json` it is one JSON object on stdout and nothing else.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any, Final

import click

from ...core.errors import MemdeskError
from .call import Call, this_call
from .inputs import Word
from .output import AnswerLost, flush, put_error, put_json

#: Family -> verb -> (module of this package that holds `<verb>_command`, what `memdesk --help` says of it).
FAMILIES: Final[dict[str, dict[str, tuple[str, str]]]] = {
    "Write": {
        "add": ("writing", "Write an entry, or update the one of that name."),
        "create": ("writing", "Write a new entry with title, one line, short and full text."),
        "append": ("writing", "Add text after an entry's body; nothing is replaced."),
        "comment": ("writing", "Write a comment under an entry."),
    },
    "Correct": {
        "edit": ("writing", "Replace texts, tags, class, status or anchor of an entry."),
        "rename": ("retiring", "Give an entry another name."),
        "move-workspace": ("retiring", "Move entries to another workspace."),
    },
    "Move through life": {
        "reclassify": ("retiring", "Keep, carry forward, open, close, graduate, or log entries."),
        "graduate": ("retiring", "End a thread whose work left knowledge."),
        "supersede": ("linking", "Retire an entry in favour of another."),
        "retire": ("moments", "Delete all that one session or author wrote."),
        "delete": ("retiring", "Take entries out of every list; undo brings them back."),
        "restore": ("retiring", "Bring deleted or replaced entries back."),
    },
    "Connect": {
        "link": ("linking", "Connect two entries: A supersedes B means A replaces B."),
        "unlink": ("linking", "Remove a link."),
        "tree": ("graph", "Show what an entry is linked to, as a tree."),
        "mend": ("graph", "List what is wrong with the links, and mend it."),
        "export": ("graph", "Write the links for other tools (dot, GraphML, Mermaid)."),
    },
    "Settle what conflicts": {
        "conflicts": ("conflicts", "List what contradicts, and what says the same twice."),
        "similar": ("conflicts", "Find what says nearly the same, before you write."),
        "merge": ("conflicts", "Make one entry of several; nothing is lost."),
        "judge": ("conflicts", "Say what two entries are to each other."),
        "verdicts": ("conflicts", "List what was said of pairs of entries."),
    },
    "Several at once": {
        "checkpoint": ("composed", "Record a milestone and its pending threads, all or nothing."),
        "batch": ("composed", "Run independent operations, one result each."),
    },
    "Read": {
        "get-relevant": ("digest", "Print what the next session will have injected."),
        "list": ("listing", "List entries."),
        "show": ("showing", "Show one entry: its text, or its links and versions."),
        "search": ("searching", "Find entries and episodes that hold these words."),
        "story": ("history", "Tell how an entry came to be, and what became of it."),
        "history": ("history", "List every version of an entry, with diffs."),
        "diff": ("moments", "List what changed in the memory between two moments."),
        "stats": ("showing", "Count what is there."),
        "status": ("status", "Say in one line what waits."),
    },
    "Undo": {
        "undo": ("undoing", "Take back your newest operation, or the one named."),
        "redo": ("undoing", "Bring back what your newest undo took away."),
        "log": ("undoing", "List operations, newest first."),
    },
    "Places": {
        "workspace": ("scopes", "List or add workspaces."),
        "project": ("scopes", "List or add projects that entries can be anchored to."),
    },
    "Episodes": {
        "episode-show": ("episodes", "Show one episode."),
        "episode-add": ("episodes", "Keep what a turn came to, so that a search finds it."),
    },
    "Requests": {
        "requests": ("requests", "What waits for a person: list, show, approve, reject, wait."),
        "propose": ("proposing", "Put what an agent's contract proposes before a person."),
        "veto": ("vetoing", "What agents did on their own: keep it, or take it back."),
    },
    "Hosts": {
        "hosts": ("hosts", "List the hosts, and whether each is in step."),
        "attach": ("hosts", "Work on an existing memory in place."),
        "pull": ("hosts", "Read what changed in the hosts."),
        "push": ("hosts", "Send to the hosts what has not reached them yet."),
        "detach": ("hosts", "Put a host aside; nothing is lost."),
    },
    "The desk": {
        "desk": ("desk", "Open the desk on this terminal."),
        "demo": ("desk", "Open the desk on a made-up memory that is thrown away."),
    },
}
MODULES: Final = {verb: module for verbs in FAMILIES.values() for verb, (module, _) in verbs.items()}

_EXIT_INTERRUPTED: Final = 130
_COMPLETION: Final = """Tab completion, for one shell session or its start-up file:

\b
  bash:  eval "$(_MEMDESK_COMPLETE=bash_source memdesk)"
  zsh:   eval "$(_MEMDESK_COMPLETE=zsh_source memdesk)"
  fish:  _MEMDESK_COMPLETE=fish_source memdesk | source

Exit codes: 0 done, 1 refused or failed, 2 wrong usage, 3 waits for approval, 4 not found."""


# -- flags of every verb ------------------------------------------------------------------------------------------


def _remember(name: str) -> Callable[[click.Context, click.Parameter, Any], None]:
    def keep(ctx: click.Context, param: click.Parameter, value: Any) -> None:
        call = this_call(ctx)
        if value not in (None, False):
            setattr(call, name, value)

    return keep


def shared_flags() -> list[click.Parameter]:
    """The flags of every command. New options each time: click ties an option to the command that it is given to."""
    made: list[click.Parameter] = [
        click.Option(["--json"], is_flag=True, help="Answer with one JSON value on stdout.", callback=_remember("json"),
                     expose_value=False, is_eager=True),
    ]  # fmt: skip
    for flag, name, metavar, text in (
        ("--store", "store", "DIR", "The store's folder (else MEMDESK_HOME, else the user data directory)."),
        ("--actor", "actor", "NAME", "Who acts (else MEMDESK_ACTOR, else user:<login>)."),
        ("--role", "role", "ROLE", "user, orchestrator, operator or specialist; may lower the role, never raise it."),
        ("--session-id", "session_id", "ID", "The agent session this belongs to (else MEMDESK_SESSION_ID)."),
    ):
        made.append(
            click.Option([flag], type=Word(metavar), metavar=metavar, help=text, callback=_remember(name),
                         expose_value=False)
        )  # fmt: skip
    return made


class _WithExamples(click.Command):
    """A command that shows its examples, and takes the shared flags after the verb as well as before it."""

    def __init__(self, *args: Any, examples: Sequence[str] = (), **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.examples = tuple(examples)
        self.own_params = list(self.params)
        self.params.extend(shared_flags())

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The command's own flags first; the shared ones stand on the page of `memdesk --help`."""
        shared = {"--json", "--store", "--actor", "--role", "--session-id"}
        own: list[tuple[str, str]] = []
        common: list[tuple[str, str]] = []
        for param in self.get_params(ctx):
            if not isinstance(param, click.Option):
                continue  # the usage line names the arguments, the text explains them
            record = param.get_help_record(ctx)
            if record is not None:
                (common if shared & set(param.opts) else own).append(record)
        if own:
            with formatter.section("Options"):
                formatter.write_dl(own)
        with formatter.section("Options of every command"):
            formatter.write_dl(common)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        if self.examples:
            with formatter.section("Example" if len(self.examples) == 1 else "Examples"):
                for line in self.examples:
                    formatter.write(f"{'':{formatter.current_indent}}{line}\n")
        super().format_epilog(ctx, formatter)


class Verb(_WithExamples):
    """One verb."""


class Verbs(_WithExamples, click.Group):
    """A verb with sub-verbs, such as `requests list`."""

    command_class = Verb

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, invoke_without_command=True, **kwargs)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        self.format_commands(ctx, formatter)
        _WithExamples.format_options(self, ctx, formatter)


def verb(name: str, *, examples: Sequence[str]) -> Callable[[Callable[..., Any]], Verb]:
    """Make a command of a function, with at least one example for its help page."""
    decorate: Callable[[Callable[..., Any]], Verb] = click.command(name, cls=Verb, examples=examples)
    return decorate


# -- the command itself -------------------------------------------------------------------------------------------


class Memdesk(click.Group):
    """`memdesk`: loads the module of a verb when the verb is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Every verb, in the order of the help page."""
        return list(MODULES)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of a verb, or None."""
        module = MODULES.get(cmd_name)
        if module is None:
            return None
        found = import_module(f".{module}", __package__)
        command: click.Command = getattr(found, cmd_name.replace("-", "_") + "_command")
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """As click does, with the nearest verb named when there is none."""
        if args and self.get_command(ctx, args[0]) is None and not args[0].startswith("-"):
            import difflib

            near = difflib.get_close_matches(args[0], list(MODULES), 1, 0.6)
            did_you = f" Did you mean {near[0]!r}?" if near else ""
            raise click.UsageError(f"There is no command {args[0]!r}.{did_you}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The verbs by family."""
        for family, verbs in FAMILIES.items():
            with formatter.section(family):
                formatter.write_dl([(verb, summary) for verb, (_, summary) in verbs.items()])

    def invoke(self, ctx: click.Context) -> Any:
        """Run the verb; ctrl+c is told like any failure, without the empty line that click puts before it."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            raise click.Abort from None

    def main(  # type: ignore[override]
        self, args: Sequence[str] | None = None, prog_name: str | None = None, complete_var: str | None = None,
        standalone_mode: bool = True, **extra: Any,
    ) -> Any:  # fmt: skip
        """Run one command line; every failure becomes a sentence and an exit code, never a traceback."""
        given = list(sys.argv[1:] if args is None else args)
        click_main = super().main
        code = _run(lambda: click_main(given, "memdesk", complete_var, False, **extra), _wants_json(given))
        if standalone_mode:
            sys.exit(code)
        return code


def _version(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    if not value or ctx.resilient_parsing:
        return
    from importlib.metadata import version

    click.echo(f"memdesk, version {version('memdesk')}")
    ctx.exit()


@click.command(
    "memdesk", cls=Memdesk, invoke_without_command=True, epilog=_COMPLETION,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    params=shared_flags(),
)  # fmt: skip
@click.option("--version", is_flag=True, is_eager=True, expose_value=False, callback=_version, help="Show the version.")
@click.pass_context
def main(ctx: click.Context) -> None:
    """Keep what AI agents remember small, true and current.

    Without a command it opens the desk (on a terminal), or says how things stand.
    """
    if ctx.invoked_subcommand is None:
        from .desk import open_or_tell

        open_or_tell(ctx, this_call(ctx))


# -- failures -----------------------------------------------------------------------------------------------------


def _wants_json(args: Sequence[str]) -> bool:
    """Whether `--json` is among the flags, also when the rest of the line cannot be parsed."""
    head = args[: args.index("--")] if "--" in args else args
    return "--json" in head or any(
        a == "--format=json" or (a == "--format" and head[i + 1 : i + 2] == ["json"]) for i, a in enumerate(head)
    )


def _run(command: Callable[[], Any], as_json: bool) -> int:
    try:
        result = command()
        flush()
        return result if isinstance(result, int) else 0
    except BrokenPipeError:
        # The reader has had enough: nothing to report, and nobody to report it to.
        _drop_stdout()
        return 0
    except SystemExit as done:  # click ends so on a broken pipe
        _drop_stdout()
        return 0 if done.code == 1 else int(done.code or 0)
    except click.exceptions.Abort:
        return _fail(as_json, "interrupted", "Stopped.", "", _EXIT_INTERRUPTED)
    except MemdeskError as error:
        extra = error.extra
        return _fail(as_json, error.stable_code, error.message, error.hint, error.exit_code, **extra)
    except click.UsageError as error:
        path = error.ctx.command_path if error.ctx is not None else "memdesk"
        message = error.format_message().strip()
        message += "" if message.endswith((".", "?", "!")) else "."
        return _fail(as_json, "usage", message, f"See `{path} --help`.", 2)
    except click.ClickException as error:
        return _fail(as_json, "bad_input", error.format_message(), "", 1)
    except Exception as error:
        return _unforeseen(as_json, error)


def _unforeseen(as_json: bool, error: Exception) -> int:
    """What no layer below has turned into a sentence: the machine's troubles, else a fault of memdesk's own."""
    if os.environ.get("MEMDESK_TRACE"):
        import traceback

        traceback.print_exc()
    if type(error).__module__ == "sqlite3":
        return _fail(
            as_json, "store_unusable", f"The store cannot be used: {error}.",
            "Check that its folder is writable and has room, then try again.", 1,
        )  # fmt: skip
    if isinstance(error, AnswerLost):
        return _fail(
            as_json, "answer_lost", f"The answer could not be written: {error.strerror}.",
            "What you asked for may be done all the same: look at `memdesk log` before you try again.", 1,
        )  # fmt: skip
    if isinstance(error, OSError):
        what = error.strerror or str(error)
        where = f" ({error.filename})" if error.filename else ""
        return _fail(as_json, "system", f"The system refused: {what}{where}.", "Mend that and try again.", 1)
    return _fail(
        as_json, "internal", f"This is a fault in memdesk: {type(error).__name__}: {error}.",
        "Run it again with MEMDESK_TRACE=1 for the details to report.", 1,
    )  # fmt: skip


def _fail(as_json: bool, code: str, message: str, hint: str, exit_code: int, **extra: Any) -> int:
    try:
        if as_json:
            put_json({"error": {"code": code, "message": message, "hint": hint, **extra}})
        else:
            put_error(code, message, hint)
        for stream in (sys.stdout, sys.stderr):
            stream.flush() if stream is not None else None
    except OSError:
        # Standard output takes nothing, a full disk for one: then standard error says why.
        _drop_stdout()
        if as_json:
            put_error(code, message, hint)
    return exit_code


def _drop_stdout() -> None:
    """Send what is still buffered nowhere, so that the interpreter's own flush at exit cannot fail."""
    try:
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, sys.stdout.fileno())
        os.close(null)
    except (OSError, ValueError, AttributeError):
        pass


__all__ = ["FAMILIES", "MODULES", "Call", "Memdesk", "Verb", "Verbs", "main", "verb"]
