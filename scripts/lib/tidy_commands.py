#!/usr/bin/env python3
"""tidy_commands.py FILE: adds to a compile_commands.json the command of each file that is compiled together with others.

CMake writes a command only for the batch, a file that includes the others. For a file without a command, clang-tidy takes the
command of a file with a similar name, which may lack definitions that the file needs.
"""
import json
import re
import sys
from pathlib import Path


def with_parts(commands):
    known = {one["file"] for one in commands}
    for batch in commands:
        yield batch
        if "/Unity/" not in batch["file"]:
            continue
        for part in re.findall(r'^#include "(.+)"$', Path(batch["file"]).read_text(), re.MULTILINE):
            if part not in known:
                known.add(part)
                yield {**batch, "file": part, "command": batch["command"].replace(batch["file"], part)}


def main():
    database = Path(sys.argv[1])
    database.write_text(json.dumps(list(with_parts(json.loads(database.read_text()))), indent=1))


if __name__ == "__main__":
    main()
