#!/usr/bin/env python3
"""Lists the cases of files of Python tests for ctest: python_cases.py FILE_test.py...

Prints a line for each case: file|name|name for pytest|labels|time limit. The file is parsed, not imported. So parameters and
arguments of markers must be literals, or names of literals in the same file. A function test_NAME is one case, with all its
parameters. With the marker `each`, every combination of its parameters is a case: test_host[kill-starting] is host_kill_starting.
A case is slow if the marker `slow_for` names one of its parameters.
"""
import ast
import itertools
import sys
from pathlib import Path

LABELS = ("slow", "cluster", "matrix", "alone")


class Unclear(Exception):
    pass


def constants(tree):
    """The literals that have names in the file."""
    found = {}
    for node in tree.body:
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            try:
                found[node.targets[0].id] = ast.literal_eval(node.value)
            except ValueError:
                continue
    return found


def value(node, names):
    if isinstance(node, ast.Name) and node.id in names:
        return names[node.id]
    try:
        return ast.literal_eval(node)
    except ValueError:
        raise Unclear(f"line {node.lineno}: {ast.unparse(node)} is not a literal") from None


def marks(nodes):
    """(name, arguments, keywords) of each pytest.mark.NAME or pytest.mark.NAME(...)."""
    for node in nodes:
        call = node if isinstance(node, ast.Call) else None
        words = ast.unparse(call.func if call else node)
        if words.startswith("pytest.mark."):
            yield words.removeprefix("pytest.mark."), call.args if call else [], {one.arg: one.value for one in call.keywords} if call else {}


def marks_of_file(tree):
    for node in tree.body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "pytestmark":
            return list(marks(node.value.elts if isinstance(node.value, (ast.List, ast.Tuple)) else [node.value]))
    return []


def ids(arguments, keywords, names):
    """The names of the parameters, as pytest makes them. Parameters that are not words need `ids`."""
    found = [str(one) for one in value(keywords.get("ids", arguments[1]), names)]
    if not all(one.isidentifier() for one in found):
        raise Unclear(f"line {arguments[1].lineno}: parameters with the marker `each` must be words, or have ids that are words")
    return found


def cases(file):
    tree = ast.parse(Path(file).read_text(), file)
    names = constants(tree)
    for function in tree.body:
        if not isinstance(function, ast.FunctionDef) or not function.name.startswith("test_"):
            continue
        own = list(marks(function.decorator_list))
        marked = marks_of_file(tree) + own
        labels = [name for name in LABELS if any(mark == name for mark, _, _ in marked)]
        limit = next((value(arguments[0], names) for mark, arguments, _ in reversed(marked) if mark == "time_limit"), "")
        slow_words = {value(word, names) for mark, arguments, _ in own if mark == "slow_for" for word in arguments}
        parameters = []
        if any(mark == "each" for mark, _, _ in marked):  # the decorator next to the function comes first in pytest's names
            parameters = [ids(arguments, keywords, names) for mark, arguments, keywords in reversed(own) if mark == "parametrize"]
        for words in itertools.product(*parameters):
            name = "_".join([function.name.removeprefix("test_"), *words])
            own_labels = labels + ["slow"] * (not slow_words.isdisjoint(words) and "slow" not in labels)
            yield name, function.name + (f"[{'-'.join(words)}]" if words else ""), ",".join(own_labels), limit


def main(files):
    for file in files:
        found = list(cases(file))
        for case in found:
            print(Path(file).name, *case, sep="|")
        if not found:
            raise Unclear("it has no case")


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except (Unclear, SyntaxError) as error:
        sys.exit(f"{sys.argv[1:]}: {error}")
