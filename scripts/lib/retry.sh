# shellcheck shell=bash
# How ctest runs, and `./test --retry`. Sourced by ./test and, for the report, by .ci/run.
# shellcheck disable=SC2154 # root, build: set there

# What ctest printed in the first and in the second run of run_ctest_twice.
test_logs=("$build/log/tests.log" "$build/log/tests-again.log")

# The most tests that run once more. When more fail, the change is at fault, not chance.
most_retried=20

# run_ctest FOLDER ARGUMENT...: the tests of the build folder FOLDER. Returns ctest's exit status.
run_ctest() { ctest --test-dir "$1" --output-on-failure --no-tests=error --timeout $((300 * ${DUCTILE_TEST_PATIENCE:-1})) "${@:2}"; }

# run_ctest_twice FOLDER ARGUMENT...: as run_ctest; then what failed runs once more, one test at a time. Returns 0 if ctest found
# that each test passed in one of the runs, and few enough are flaky.
run_ctest_twice() {
    local folder=$1 status=0 count
    local list=$folder/Testing/Temporary/LastTestsFailed.log
    rm -f "${test_logs[@]}" "$list" # ctest leaves an old list where it is when nothing fails
    mkdir -p "$build/log"
    run_ctest "$@" | tee "${test_logs[0]}" || status=$?
    # 8: ctest itself worked, and tests failed.
    if ((status == 8)) && [[ -s $list ]]; then
        count=$(wc -l <"$list")
        if ((count <= most_retried)); then
            printf '\n%d tests failed; they run once more\n' "$count"
            status=0
            run_ctest "$folder" --rerun-failed -j 1 | tee "${test_logs[1]}" || status=$?
        else
            printf '\n%d tests failed: too many to run them once more\n' "$count"
        fi
    fi
    report_tests || ((status != 0)) || status=1
    return "$status"
}

# report_tests: says how the tests of run_ctest_twice went, as far as it came. Returns 1 if that is red.
report_tests() { python3 "$root/scripts/lib/test_report.py" "${test_logs[@]}"; }
