#!/bin/sh
# For the session-start hook of an agent's host program: what this prints becomes part of the session's context.
# It prints the digest of the memory, and one line when something waits for a person.
#
# A session never fails by it: it exits 0, and prints nothing where there is no memdesk, or no memory yet. Where the
# memory cannot be read it says so in one line, since an agent that remembers nothing must not take that for an empty
# memory. Another program that writes at that moment is not waited for.
#
# Settings, from the environment:
#   MEMDESK                the program; else `memdesk` on PATH
#   MEMDESK_HOME           the store's folder; else that of the user (memdesk's own rule)
#   MEMDESK_WORKSPACE      one workspace; else all
#   MEMDESK_HOOK_CHARS     the budget of the digest in characters; else 1500
#   MEMDESK_HOOK_SECONDS   how long each of the two commands may take, where `timeout` is installed; else 10

memdesk=${MEMDESK:-memdesk}
command -v "$memdesk" >/dev/null 2>&1 || exit 0

# A setting that is no number is said, and costs nothing else.
chars=${MEMDESK_HOOK_CHARS:-1500} seconds=${MEMDESK_HOOK_SECONDS:-10}
case $chars in
*[!0-9]*)
    echo 'memdesk: MEMDESK_HOOK_CHARS is no number; 1500 is used.'
    chars=1500 ;;
esac
case $seconds in
*[!0-9.]*)
    echo 'memdesk: MEMDESK_HOOK_SECONDS is no number; 10 is used.'
    seconds=10 ;;
esac

run() {
    if command -v timeout >/dev/null 2>&1; then
        timeout "$seconds" "$memdesk" "$@" </dev/null
    else
        "$memdesk" "$@" </dev/null
    fi
}

# Why it failed is the first line of what goes to standard error, which is caught; what it prints goes on as it is.
exec 3>&1
why=$(run get-relevant --hook --max-chars "$chars" 2>&1 >&3 3>&-)
code=$?
if [ "$code" -ne 0 ]; then
    why=$(printf '%s\n' "$why" | sed -n 's/^Error \[[a-z_]*\]: //p' | head -n 1 | cut -c 1-300)
    [ "$code" -eq 124 ] && why="it took longer than $seconds seconds."
    printf 'memdesk: the memory could not be read%s `memdesk status` in a terminal says more.\n' "${why:+: $why}"
    exit 0
fi
run status --hook 2>/dev/null
exit 0
