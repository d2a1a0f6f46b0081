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

run() {
    if command -v timeout >/dev/null 2>&1; then
        timeout "${MEMDESK_HOOK_SECONDS:-10}" "$memdesk" "$@" </dev/null 2>/dev/null
    else
        "$memdesk" "$@" </dev/null 2>/dev/null
    fi
}

if ! run get-relevant --hook --max-chars "${MEMDESK_HOOK_CHARS:-1500}"; then
    echo 'memdesk: the memory could not be read; `memdesk status` in a terminal says why.'
    exit 0
fi
run status --hook
exit 0
