# shellcheck shell=bash
# Progress messages, deadlines and a clean end for scripts. Sourced.
# shellcheck disable=SC2154 # build: set by the script

# say TEXT: one line of progress, with the seconds since the start.
say() { printf '[%4d s] %s\n' "$SECONDS" "$*" >&2; }

# fail TEXT...: prints what did not work, then what to try, one line for each argument, and ends the script.
fail() {
    printf '%s: %s\n' "${0##*/}" "$1" >&2
    shift
    (($# == 0)) || printf '       %s\n' "$@" >&2
    exit 1
}

# One set-up at a time in one build directory; the second waits for the first.
take_turn() {
    exec 9>"$build/.setup.lock"
    flock -n 9 && return
    say "another set-up of this tree is running; waiting for it"
    flock -w 3600 9 || fail "the other set-up has not ended within an hour"
}

running_pid=''
end_running() {
    [[ -n $running_pid ]] || return 0
    kill -TERM "$running_pid" 2>/dev/null || true
    wait "$running_pid" 2>/dev/null || true
    running_pid=''
}
trap end_running EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

# run SECONDS NAME COMMAND...: runs COMMAND without input, with its output in build/log/NAME.log. Shows the latest line of the
# output: on a terminal always in the same line, elsewhere every 20 s. After SECONDS it ends the command and all that the
# command started. Returns the exit status of the command; 124 if it was ended.
run() {
    local limit=$1 log=$build/log/$2.log lines line latest='' shown=$SECONDS status=0
    shift 2
    exec {lines}< <(exec timeout -k 10 "$limit" "$@" </dev/null 2>&1 9>&-)
    running_pid=$!
    : >"$log"
    while true; do
        if IFS= read -r -t 1 -u "$lines" line; then
            printf '%s\n' "$line" >>"$log"
            latest=$line
        elif (($? > 128)); then # nothing came for a second
            latest+=$line
            printf '%s' "$line" >>"$log"
        else
            break
        fi
        if [[ -t 2 ]]; then
            printf '\r\033[K[%4d s]   %s' "$SECONDS" "${latest:0:$((${COLUMNS:-100} - 14))}" >&2
        elif ((SECONDS - shown >= 20)); then
            say "  ${latest:0:110}"
            shown=$SECONDS
        fi
    done
    exec {lines}<&-
    [[ ! -t 2 ]] || printf '\r\033[K' >&2
    wait "$running_pid" || status=$?
    running_pid=''
    return "$status"
}

# show_log NAME [LINES]: shows the last lines of the output of a step.
show_log() {
    printf '%s\n' "--- the end of build/log/$1.log" >&2
    tail -n "${2:-40}" "$build/log/$1.log" >&2
    printf '%s\n' '---' >&2
}

# must SECONDS NAME COMMAND...: like run. If the command fails, shows the last lines of its output and ends the script.
must() {
    local status=0
    run "$@" || status=$?
    ((status == 0)) && return
    show_log "$2" 60
    ((status != 124)) || fail "$2 was given up after $1 s: $3 did not end"
    fail "$2 did not work ($3 ended with $status); build/log/$2.log has the whole output"
}

# persist SECONDS NAME COMMAND...: like run, but tries up to three times with pauses. For downloads.
persist() {
    local attempt status
    for attempt in 1 2 3; do
        status=0
        run "$@" || status=$?
        ((status == 0)) && return
        ((attempt < 3)) || break
        say "  $2 did not work (status $status, build/log/$2.log); trying again in $((attempt * 5)) s"
        sleep "$((attempt * 5))"
    done
    return "$status"
}

# unchanged STAMP WORDS...: whether the last mark_done STAMP was given the same words.
unchanged() {
    local stamp=$1
    shift
    [[ -f $stamp && $(<"$stamp") == "$(fingerprint "$@")" ]]
}
mark_done() {
    local stamp=$1
    shift
    fingerprint "$@" >"$stamp"
}
fingerprint() { printf '%s\0' "$@" | sha256sum | cut -d' ' -f1; }
