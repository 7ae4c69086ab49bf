#!/usr/bin/env python3
"""Says which tests failed, and why, from what ctest printed: test_report.py LOG [LOG_OF_RERUN].

LOG is the output of `ctest --output-on-failure`, which may end in the middle. LOG_OF_RERUN is that of `ctest --rerun-failed`
after it: a test that failed and then passes is flaky. A file that is not there is a run that was not made. Names of tests hold no
blank. Prints a line for each failed test, each flaky one and each one that had not ended, then `N passed, N failed`. Ends with 1
if a test failed or had not ended, or if more than MOST_FLAKY are flaky.
"""
import dataclasses
import pathlib
import re
import sys

MOST_FLAKY = 10
START = re.compile(r" *Start +\d+: (?P<name>\S+)$")
END = re.compile(r" *\d+/\d+ Test +#\d+: (?P<name>\S+) \.*(\*\*\*)? *(?P<outcome>\D.*?) +(?P<seconds>\d+\.\d+) sec")
TOTAL = re.compile(r"\d+% tests passed, \d+ tests failed out of \d+")
GOOGLETEST_FAILURE = re.compile(r"(\S+:\d+|unknown file): Failure")
OTHER_FAILURE = re.compile(r"(E {2,}|FAILED on rank \d+: )(?P<text>\S.*)")  # pytest's, and that of tests/engine/expect.hpp
CONTROL = re.compile(r"\x1b\[[0-9;]*[A-Za-z]|[\x00-\x08\x0e-\x1f]")  # colours, and what a terminal would take for a command


@dataclasses.dataclass
class Test:
    """What the log of one run says of a test."""
    name: str
    outcome: str = "not ended"
    seconds: float = 0.0
    output: list = dataclasses.field(default_factory=list)

    def passed(self):
        return self.outcome == "Passed"

    def skipped(self):
        return self.outcome in ("Skipped", "Not Run (Disabled)")

    def ended(self):
        return self.outcome != "not ended"

    def why(self):
        """The first line that says why it failed."""
        lines = [line.strip() for line in self.output if line.strip()]
        for number, line in enumerate(lines):
            if match := OTHER_FAILURE.fullmatch(line):
                return match["text"]
            if GOOGLETEST_FAILURE.fullmatch(line):
                return " ".join(lines[number:number + 2])
        if self.outcome == "Timeout":
            return f"no end within {self.seconds:.0f} s"
        last = lines[-1] if lines else "it printed nothing"
        return last if self.outcome == "Failed" else f"{self.outcome.replace('***Exception:', '')}: {last}"


def read(path):
    """The tests that a log names, by name. A test ends once, and each has ended when ctest has: what says otherwise was printed by a
    test."""
    tests = {}
    whole = False
    printing = None  # the test whose output the next lines are
    lines = pathlib.Path(path).read_text(errors="replace").splitlines() if pathlib.Path(path).exists() else []
    for line in (CONTROL.sub("", line) for line in lines):
        if match := START.fullmatch(line):
            tests.setdefault(match["name"], Test(match["name"]))
            printing = None
        elif TOTAL.fullmatch(line):
            printing = None
            whole = True
        elif (match := END.match(line)) and not (match["name"] in tests and tests[match["name"]].ended()):
            printing = Test(match["name"], outcome=match["outcome"], seconds=float(match["seconds"]))
            tests[printing.name] = printing
        elif printing:
            printing.output.append(line)
    return {name: test for name, test in tests.items() if test.ended() or not whole}


def main(logs):
    first = read(logs[0])
    again = read(logs[1]) if len(logs) > 1 else {}
    passed = failed = skipped = unended = flaky = 0
    for name, test in sorted(first.items()):
        if test.passed():
            passed += 1
        elif test.skipped():
            skipped += 1
        elif not test.ended():
            unended += 1
            print(f"NOT ENDED  {name}")
        elif name in again and again[name].passed():
            passed += 1
            flaky += 1
            print(f"FLAKY      {name}: {test.why()[:200]}")
        else:
            failed += 1
            print(f"FAILED     {name}: {test.why()[:200]}")
    if flaky > MOST_FLAKY:
        print(f"{flaky} tests are flaky; at most {MOST_FLAKY} may be")
    if skipped:
        print(f"{skipped} skipped")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or unended or flaky > MOST_FLAKY else 0


if __name__ == "__main__":
    sys.stdout.reconfigure(errors="replace")
    sys.exit(main(sys.argv[1:]))
