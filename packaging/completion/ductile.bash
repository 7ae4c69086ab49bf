# shellcheck shell=bash
# Completion of `ductile` for bash. What can follow is what `ductile ... --help` lists, so this file names no command and no
# option. Zsh reads it, too, after `autoload -U bashcompinit && bashcompinit`.

# _ductile_commands HELP, _ductile_options HELP: the names that a help text lists.
_ductile_commands() { sed -n '/^Subcommands:/,$ s/^  \([a-z][a-z-]*\) .*/\1/p' <<<"$1"; }
_ductile_options() { sed -n 's/^  \(-[^ ]*\).*/\1/p' <<<"$1" | tr , '\n'; }

# _ductile_values HELP [OPTION]: the values {a,b,c} that HELP lists for OPTION, or, without OPTION, for the positional arguments.
_ductile_values() {
    local lines
    if (($# > 1)); then
        lines=$(grep -E -- "^  (-[^ ]*,)?$2( |,)" <<<"$1")
    else
        lines=$(sed -n '/^Positionals:/,/^$/p' <<<"$1")
    fi
    sed -n 's/^  [^{]*:{\([^}]*\)}.*/\1/p' <<<"$lines" | tr , '\n'
}

# _ductile PROGRAM WORD BEFORE: bash calls it, with COMP_WORDS and COMP_CWORD.
_ductile() {
    local program=$1 current=$2 before=$3 help commands i=1 so_far=()
    COMPREPLY=()
    for ((; i < COMP_CWORD; ++i)); do
        if [[ ${COMP_WORDS[i]} == -- ]]; then # another program's words
            if declare -F _command_offset >/dev/null; then
                _command_offset $((i + 1))
            elif ((i + 1 == COMP_CWORD)); then
                mapfile -t COMPREPLY < <(compgen -c -f -- "$current")
            fi
            return
        fi
    done
    help=$("$program" --help 2>/dev/null) || return
    for ((i = 1; i < COMP_CWORD; ++i)); do
        commands=$(_ductile_commands "$help")
        grep -qxF -e "${COMP_WORDS[i]:--}" <<<"$commands" || break
        so_far+=("${COMP_WORDS[i]}")
        help=$("$program" "${so_far[@]}" --help 2>/dev/null) || return
    done
    # Bash splits a word such as --start=launch into three words: --start, = and launch.
    [[ $current != = ]] || current=
    [[ $before != = ]] || before=${COMP_WORDS[COMP_CWORD - 2]}
    [[ ${COMP_WORDS[COMP_CWORD]} != = ]] || before=${COMP_WORDS[COMP_CWORD - 1]}
    if [[ $before == -?* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$(_ductile_values "$help" "$before")" -- "$current")
        ((${#COMPREPLY[@]} == 0)) || return
    fi
    if [[ $current == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$(_ductile_options "$help")" -- "$current")
    else
        mapfile -t COMPREPLY < <(compgen -W "$(_ductile_commands "$help") $(_ductile_values "$help")" -- "$current")
    fi
}

# If nothing of this fits, bash completes the names of files.
complete -o default -F _ductile ductile
