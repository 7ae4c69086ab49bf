# shellcheck shell=bash
# What ./test and ./demo share: which of their arguments are for set-up. Sourced.

# split_arguments ARGUMENT...: sets setup_arguments (those for scripts/setup) and other_arguments.
split_arguments() {
    setup_arguments=()
    other_arguments=()
    local argument
    for argument in "$@"; do
        case $argument in
            -DMPI_HOME=* | --werror) setup_arguments+=("$argument") ;;
            *) other_arguments+=("$argument") ;;
        esac
    done
}
