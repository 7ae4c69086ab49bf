# shellcheck shell=bash
# What `./test --all` runs in addition to the tests for every change, and a tenth of it. Sourced by ./test.
# shellcheck disable=SC2154 # root, build: set there

long_labels='^(slow|attack|programs)$'
other_mpi_runs=(mpich-4.3.2 mpich-4.1.3 intel 'mpich-5.0.2 --standard-abi' 'intel --standard-abi' openmpi-4.1.8)

# tenth_of COMMIT: prints a tenth (rounded up) of the lines that it reads. COMMIT chooses the lines.
tenth_of() {
    local line lines
    mapfile -t lines < <(while IFS= read -r line; do
        printf '%s %s\n' "$(sha256sum <<<"$1 $line" | cut -d' ' -f1)" "$line"
    done | LC_ALL=C sort)
    ((${#lines[@]} == 0)) || printf '%s\n' "${lines[@]:0:$(((${#lines[@]} + 9) / 10))}" | cut -d' ' -f2-
}

# The long tests, without programs/provide, which only prepares other tests.
long_tests() { ctest --test-dir "$build" -N -L "$long_labels" | sed -n 's/^ *Test *#[0-9]*: //p' | grep -vx programs/provide; }

fuzz_targets() { (cd "$root/tests/fuzz" && printf '%s\n' *_fuzz.cpp) | sed 's/_fuzz\.cpp$//'; }

# run_other_mpis RUN...: runs './test --mpi RUN' for each RUN. If one fails, it runs the others, too, and then returns 1.
run_other_mpis() {
    local run words failed=()
    for run in "$@"; do
        read -ra words <<<"$run"
        printf '\n./test --mpi %s\n' "$run"
        "$root/test" --mpi "${words[@]}" || failed+=("$run")
    done
    ((${#failed[@]} == 0)) && return
    printf 'failed: ./test --mpi %s\n' "${failed[@]}" >&2
    return 1
}

# run_tenth COMMIT CTEST_ARGUMENT...: runs a tenth of the long tests, of the other MPIs and of the fuzz targets.
run_tenth() {
    local commit=$1 tests runs targets regex status=0
    shift
    mapfile -t tests < <(long_tests | tenth_of "$commit")
    mapfile -t runs < <(printf '%s\n' "${other_mpi_runs[@]}" | tenth_of "$commit")
    mapfile -t targets < <(fuzz_targets | tenth_of "$commit")
    printf 'chosen by %s: %s\n' "$commit" "${tests[*]}; --mpi ${runs[*]}; scripts/fuzz ${targets[*]}"
    regex=$(printf '|%s' "${tests[@]}" | sed 's/[.+*()]/\\&/g')
    run_ctest "$build" "$@" -R "^(${regex#|})\$" || status=1
    run_other_mpis "${runs[@]}" || status=1
    "$root/scripts/fuzz" --seconds "${FUZZ_SECONDS:-60}" "${targets[@]}" || status=1
    return "$status"
}
