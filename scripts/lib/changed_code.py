#!/usr/bin/env python3
"""changed_code.py BASE: prints the C++ sources of the working tree whose code differs from that of the commit BASE.

Comments and white space do not count: a file in which only these have changed needs no clang-tidy.
"""
import re
import subprocess
import sys
from pathlib import Path

# A string or character literal (a "//" in it begins no comment), or a comment.
LITERAL_OR_COMMENT = re.compile(r'R"(?P<end>[^(\s]*)\(.*?\)(?P=end)"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|//[^\n]*|/\*.*?\*/', re.DOTALL)


def git(*words):
    return subprocess.run(["git", *words], capture_output=True, text=True, check=True, timeout=60).stdout


def code(text):
    kept = LITERAL_OR_COMMENT.sub(lambda found: " " if found[0].startswith(("//", "/*")) else found[0], text)
    return " ".join(kept.split())


def differs(name, base, of_base):
    return name not in of_base or code(Path(name).read_text()) != code(git("show", f"{base}:{name}"))


def main():
    base = sys.argv[1]
    of_base = set(git("ls-tree", "-r", "--name-only", base).splitlines())
    for name in git("diff", "--name-only", "--diff-filter=d", base, "--", "*.cpp").splitlines():
        if differs(name, base, of_base):
            print(name)


if __name__ == "__main__":
    main()
