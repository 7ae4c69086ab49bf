# shellcheck shell=bash
# Progress, deadlines and tidy ends for scripts/setup. Sourced.
# shellcheck disable=SC2154 # build: set by scripts/setup

# say TEXT: one line of progress, with the seconds since the start.
say() { printf '[%4d s] %s\n' "$SECONDS" "$*" >&2; }

# fail TEXT...: says what did not work and what to try, one argument a line, and ends.
fail() {
    printf 'setup: %s\n' "$1" >&2
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

# run SECONDS NAME COMMAND...: runs COMMAND without input, its output in build/log/NAME.log. Shows the latest line of it
# in place on a terminal, every 20 s elsewhere. After SECONDS the command and all that it started are ended.
# Returns its exit status; 124 when it was ended.
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

# show_log NAME: the end of what a step printed.
show_log() {
    printf '%s\n' "--- the end of build/log/$1.log" >&2
    tail -n "${2:-40}" "$build/log/$1.log" >&2
    printf '%s\n' '---' >&2
}

# must SECONDS NAME COMMAND...: run, or end with the last lines of its output.
must() {
    local status=0
    run "$@" || status=$?
    ((status == 0)) && return
    show_log "$2" 60
    ((status != 124)) || fail "$2 was given up after $1 s: $3 did not end"
    fail "$2 did not work ($3 ended with $status); all of it is in build/log/$2.log"
}

# persist SECONDS NAME COMMAND...: run, up to three times with a pause: for what comes over a network.
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
