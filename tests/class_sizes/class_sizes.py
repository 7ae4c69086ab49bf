"""Fails when a class of these folders is too large: more than 25 member functions, or more than 12 data members.

What counts is what clang's AST shows (libclang, python3-clang), of each class, struct and union that is defined in a header
or source of FOLDERS, outside of functions:

functions   Member functions that somebody wrote: constructors, the destructor and operators, too, and each overload. Not
            those that the class defaults or deletes, nor implicit ones, nor friends. A template counts once.
data        Non-static data members, and static ones that may change. Where a member is the class's own nested state, the
            members of that state count in its place, so a class does not become smaller by moving its members into a struct:
            - nested state is a member whose type is defined inside of the class; or is a struct of the same folder whose
              data are all public and that no other class has as a member or a base;
            - what std::optional, std::unique_ptr and std::shared_ptr hold counts as if it was held directly;
            - of a std::variant the largest alternative counts, since there is one at a time: this project prefers states
              that each have their own data to flags;
            - a base class counts as a member of its type would, but as nothing if it is not nested state;
            - the members of an anonymous union or struct are the class's own.
            A member that is const or a reference counts as one, whatever its type, because it is no state; so does a collection
            (std::vector, std::map, ...), whose elements are many things of one kind, each with its own count here.

A part is a class that is a member of one of the classes in WHOLES. It knows neither the whole nor another part: it has no member
that is a pointer or a reference to one of them. What a part needs of others comes with each call. (Plain data are no part.)

EXCEPTIONS lists classes that are larger, with the numbers that they may have at most and the reason. A class that grows
beyond these numbers fails; an exception that is not needed any more fails, too, and must be removed.
"""
import argparse
import concurrent.futures
import functools
import json
import os
import re
import shlex
import sys
from dataclasses import dataclass, field
from pathlib import Path

FOLDERS = ("broker", "agent", "engine", "groups", "resize", "rms")
LIMITS = {"functions": 25, "data": 12}
WHOLES = ("broker::Broker",)
EXCEPTIONS = Path(__file__).with_name("exceptions.json")
SHOWN = 10
SKIP = 77
HOLDERS = {"optional", "unique_ptr", "shared_ptr"}
REFERS = {"weak_ptr", "reference_wrapper", "function", "basic_string_view", "span"}  # they hold nothing
POINTERS = {"shared_ptr", "weak_ptr", "reference_wrapper"}
DEFINES_CLASSES = re.compile(r"\b(class|struct|union)\b")


@dataclass
class Member:
    """`state`: the names of the classes of which it holds a value, one at a time. `held`: all classes that it holds in any way.
    `seen`: the classes that it points or refers to."""
    name: str = ""
    state: list = field(default_factory=list)
    held: list = field(default_factory=list)
    seen: list = field(default_factory=list)
    is_base: bool = False


@dataclass
class Class:
    name: str
    place: str
    functions: int = 0
    members: list = field(default_factory=list)
    has_private_data: bool = False

    def folder(self):
        return self.place.split("/", 2)[1]


# --- the numbers ---

def held_by(classes):
    """The classes that have a class as a member or a base, by its name."""
    holders = {}
    for one in classes.values():
        for member in one.members:
            for held in member.held:
                holders.setdefault(held, set()).add(one.name)
    return holders


def data_of(one, classes, holders, path):
    """The data members of a class that was reached by `path`: the class that is asked about, then its nested state."""
    return sum(data_of_member(member, one, classes, holders, path) for member in one.members)


def data_of_member(member, owner, classes, holders, path):
    nested = [classes[name] for name in member.state if name not in path and is_nested_state(name, owner, classes, holders, path)]
    sizes = [data_of(state, classes, holders, (*path, state.name)) for state in nested]
    return max([0 if member.is_base else 1, *sizes])


def is_nested_state(name, owner, classes, holders, path):
    if name not in classes:
        return False
    state = classes[name]
    if any(name.startswith(outer + "::") for outer in path):
        return True
    is_plain = bool(state.members) and not state.has_private_data
    return is_plain and state.folder() == owner.folder() and holders.get(name) == {owner.name}


def sizes_of(classes):
    """{name: {"functions": n, "data": n}}"""
    holders = held_by(classes)
    return {name: {"functions": one.functions, "data": data_of(one, classes, holders, (name,))} for name, one in classes.items()}


def faults(sizes, exceptions):
    """What is wrong, a line each."""
    found = []
    for name, size in sorted(sizes.items()):
        allowed = exceptions.get(name, {})
        for what, limit in LIMITS.items():
            most = allowed.get(what, limit)
            if size[what] > most:
                known = f"its exception allows {most}" if what in allowed else f"a class has {limit} at most"
                found.append(f"{name} has {size[what]} {words(what)}: {known}")
            elif what in allowed and size[what] <= limit:
                found.append(f"{name} needs no exception for its {words(what)} any more ({size[what]}): take it out")
    for name, allowed in sorted(exceptions.items()):
        if name not in sizes:
            found.append(f"{name} has an exception, and there is no such class: take it out")
        if not allowed.get("reason"):
            found.append(f"{name} has an exception without a reason")
        if unknown := set(allowed) - set(LIMITS) - {"reason"}:
            found.append(f"the exception of {name} has unknown words: {', '.join(sorted(unknown))}")
        if not set(allowed) & set(LIMITS):
            found.append(f"the exception of {name} allows nothing")
    return found


def faults_of_parts(classes, wholes=WHOLES):
    """Which part of a whole knows another part, or the whole."""
    found = []
    for whole in wholes:
        if whole not in classes:
            found.append(f"there is no class {whole}, whose parts were to be looked at")
            continue
        parts = {held for member in classes[whole].members for held in member.held if held in classes and classes[held].has_private_data}
        for part in sorted(parts):
            for member in classes[part].members:
                for known in sorted(set(member.seen) & ((parts | {whole}) - {part})):
                    found.append(f"{part} is a part of {whole} and may not know {known}: {member.name}")
    return found


def words(what):
    return {"functions": "member functions", "data": "data members"}[what]


# --- clang's AST ---

sys.path.append("/usr/lib/python3/dist-packages")  # the modules of Debian: a Python that is not from Debian does not search there


class Unreadable(Exception):
    pass


def read_unit(job):
    """The classes that one translation unit defines in the file `only`, or in any file of the folder if that is None: {name: Class}."""
    import clang.cindex as ci
    root, folder, path, text, flags, only = job
    unsaved = [(path, text)] if text is not None else None
    unit = ci.Index.create().parse(path, args=["-x", "c++", *flags], unsaved_files=unsaved,
                                   options=ci.TranslationUnit.PARSE_SKIP_FUNCTION_BODIES)
    errors = [str(one) for one in unit.diagnostics if one.severity >= ci.Diagnostic.Error]
    if errors:
        raise Unreadable(f"clang cannot read {os.path.relpath(path, root)}:\n  " + "\n  ".join(errors[:5]))
    reader = Reader(ci, root, only or os.path.join(root, "src", folder) + "/")
    reader.walk(unit.cursor)
    return reader.classes


@functools.lru_cache(maxsize=None)
def real_path(name):
    return os.path.realpath(name)


def file_of(cursor):
    return real_path(cursor.location.file.name) if cursor.location.file else ""


class Reader:
    """Collects the classes of the files whose names begin with `where`."""

    def __init__(self, ci, root, where):
        self.ci, self.root, self.where = ci, root, where
        self.classes = {}
        kind = ci.CursorKind
        self.outer = {kind.NAMESPACE, kind.LINKAGE_SPEC, kind.UNEXPOSED_DECL}
        self.records = {kind.CLASS_DECL, kind.STRUCT_DECL, kind.UNION_DECL, kind.CLASS_TEMPLATE, kind.CLASS_TEMPLATE_PARTIAL_SPECIALIZATION}
        self.functions = {kind.CXX_METHOD, kind.CONSTRUCTOR, kind.DESTRUCTOR, kind.CONVERSION_FUNCTION, kind.FUNCTION_TEMPLATE}

    def walk(self, cursor):
        for child in cursor.get_children():
            if child.kind in self.outer or child.kind in self.records:
                if file_of(child).startswith(self.where):
                    if child.kind in self.outer:
                        self.walk(child)
                    elif child.is_definition():
                        self.add(child)

    def add(self, cursor):
        name = self.name_of(cursor) + self.specialization_of(cursor)
        place = f"{os.path.relpath(file_of(cursor), self.root)}:{cursor.location.line}"
        one = self.classes[name] = Class(name, place)
        self.add_members(cursor, one)

    def specialization_of(self, cursor):
        """"<T *>" of a class template that is specialized; all others have their name alone."""
        is_primary = cursor.kind == self.ci.CursorKind.CLASS_TEMPLATE
        return "" if is_primary else cursor.displayname.removeprefix(cursor.spelling)

    def add_members(self, cursor, one):
        kind = self.ci.CursorKind
        children = list(cursor.get_children())
        with_a_name = [child.type.get_canonical().get_declaration() for child in children if child.kind == kind.FIELD_DECL]
        for child in children:
            if child.kind in self.functions:
                one.functions += self.is_written(child)
            elif child.kind == kind.FIELD_DECL:
                self.add_data(child, one)
            elif child.kind == kind.VAR_DECL:
                if not child.type.is_const_qualified():
                    self.add_data(child, one)
            elif child.kind == kind.CXX_BASE_SPECIFIER:
                one.members.append(self.member_of(f"base {child.type.spelling}", child.type, is_base=True))
            elif child.kind in self.records and child.is_definition():
                if child.is_anonymous() and child not in with_a_name:
                    self.add_members(child, one)
                else:
                    self.add(child)

    def is_written(self, cursor):
        is_deleted = cursor.availability == self.ci.AvailabilityKind.NOT_AVAILABLE
        return not is_deleted and not cursor.is_default_method()

    def add_data(self, cursor, one):
        one.has_private_data |= cursor.access_specifier != self.ci.AccessSpecifier.PUBLIC
        one.members.append(self.member_of(cursor.spelling, cursor.type))

    def member_of(self, name, type_, is_base=False):
        member = Member(name, is_base=is_base)
        type_ = type_.get_canonical()
        self.collect_held(type_, member.held)
        self.collect_seen(type_, member.seen)
        if not type_.is_const_qualified():
            member.state = self.state_in(type_)
        return member

    def state_in(self, type_):
        """The classes of which a value of this type holds one at a time (several classes only for a std::variant)."""
        name, arguments = self.template_of(type_)
        if name in HOLDERS and arguments:
            return self.state_in(arguments[0])
        if name == "variant":
            return [state for argument in arguments for state in self.state_in(argument)]
        declared = type_.get_declaration()
        return [self.name_of(declared)] if self.is_ours(declared) else []

    def collect_held(self, type_, held):
        kind = self.ci.TypeKind
        if type_.kind in (kind.CONSTANTARRAY, kind.INCOMPLETEARRAY):
            return self.collect_held(type_.get_array_element_type(), held)
        name, arguments = self.template_of(type_)
        if name in REFERS:
            return
        for argument in arguments:
            self.collect_held(argument.get_canonical(), held)
        declared = type_.get_declaration()
        if self.is_ours(declared):
            held.append(self.name_of(declared))

    def collect_seen(self, type_, seen):
        pointee = type_.get_pointee()
        name, arguments = self.template_of(type_)
        aims = [pointee] if pointee.kind != self.ci.TypeKind.INVALID else arguments if name in POINTERS else []
        for aim in aims:
            declared = aim.get_canonical().get_declaration()
            if self.is_ours(declared):
                seen.append(self.name_of(declared))

    def template_of(self, type_):
        """The name of a class template and its arguments that are types."""
        count = type_.get_num_template_arguments()
        arguments = [type_.get_template_argument_type(i) for i in range(max(0, count))]
        arguments = [argument.get_canonical() for argument in arguments if argument.kind != self.ci.TypeKind.INVALID]
        return type_.get_declaration().spelling, arguments

    def is_ours(self, declared):
        return declared.kind in self.records and file_of(declared).startswith(os.path.join(self.root, "src") + "/")

    def name_of(self, cursor):
        """broker::Broker::Pending; an anonymous namespace is called by its file, a class without a name by its line."""
        parts = []
        while cursor is not None and cursor.kind != self.ci.CursorKind.TRANSLATION_UNIT:
            if cursor.kind not in self.outer or cursor.kind == self.ci.CursorKind.NAMESPACE:
                if cursor.spelling and not cursor.is_anonymous():
                    parts.append(cursor.spelling)
                elif cursor.kind == self.ci.CursorKind.NAMESPACE:
                    parts.append(f"({os.path.basename(file_of(cursor))})")
                else:
                    parts.append(f"(line {cursor.location.line})")
            cursor = cursor.semantic_parent
        name = "::".join(reversed(parts))
        return name.removeprefix("ductile::")


# --- which files, and how they are compiled ---

def flags_of(folder, root, commands):
    """What clang needs of the folder's command lines, each once. A unity build compiles files of its own, in the build folder."""
    flags = []
    for entry in commands:
        if not any(os.path.realpath(entry["file"]).startswith(f"{top}/src/{folder}/") for top in (root, os.path.realpath(entry["directory"]))):
            continue
        words_ = iter(entry.get("arguments") or shlex.split(entry["command"]))
        for word in words_:
            if word in ("-I", "-isystem", "-iquote", "-D"):
                word = (word, next(words_))
            elif not word.startswith(("-I", "-D", "-std=", "-isystem")):
                continue
            if word not in flags:
                flags.append(word)
    return [part for flag in flags for part in (flag if isinstance(flag, tuple) else (flag,))]


def units(root, commands):
    """What has to be read: all headers of a folder together, and each source that may define a class."""
    jobs = []
    for folder in FOLDERS:
        files = sorted((root / "src" / folder).rglob("*.[ch]pp"))
        if not files:
            continue
        flags = flags_of(folder, root, commands)
        if not flags:
            raise Unreadable(f"nothing of src/{folder} is in the compilation database: configure first")
        headers = "".join(f'#include "{file}"\n' for file in files if file.suffix == ".hpp")
        if headers:
            jobs.append((str(root), folder, str(root / "src" / folder / "all_headers.cpp"), headers, flags, None))
        for file in files:
            if file.suffix == ".cpp" and DEFINES_CLASSES.search(file.read_text()):
                jobs.append((str(root), folder, str(file), None, flags, str(file)))
    return jobs


def read_classes(root, commands):
    jobs = units(root, commands)
    classes = {}
    with concurrent.futures.ProcessPoolExecutor(os.cpu_count()) as pool:
        for found in pool.map(read_unit, jobs):
            classes.update(found)
    if not classes:
        raise Unreadable(f"no class was found under {root}/src")
    return classes


# --- the command ---

def table(classes, sizes):
    def weight(name):
        return max(sizes[name][what] / limit for what, limit in LIMITS.items())
    largest = sorted(sizes, key=lambda name: (-weight(name), name))[:SHOWN]
    lines = [f"{'functions':>9} {'data':>4}  the {len(largest)} largest of {len(sizes)} classes"]
    lines += [f"{sizes[name]['functions']:>9} {sizes[name]['data']:>4}  {name} ({classes[name].place})" for name in largest]
    return "\n".join(lines)


def parts_of(name, classes):
    """How much each data member of one class counts."""
    one, holders = classes[name], held_by(classes)
    sizes = [(data_of_member(member, one, classes, holders, (name,)), member) for member in one.members]
    return "\n".join(f"{size:>4}  {member.name} {' | '.join(member.state) if size > 1 else ''}".rstrip() for size, member in sizes)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--build", required=True, help="build folder, with compile_commands.json")
    parser.add_argument("--json", action="store_true", help="print the numbers of all classes, and judge nothing")
    parser.add_argument("--of", metavar="CLASS", help="print what each data member of this class counts, and judge nothing")
    options = parser.parse_args()
    try:
        import clang.cindex  # noqa: F401
    except ImportError:
        print("skipped: there is no module clang.cindex (on Debian and Ubuntu: apt-get install python3-clang)")
        return SKIP
    root = Path(__file__).resolve().parents[2]
    try:
        commands = json.loads((Path(options.build) / "compile_commands.json").read_text())
        classes = read_classes(root, commands)
    except (OSError, Unreadable) as error:
        print(error, file=sys.stderr)
        return 2
    sizes = sizes_of(classes)
    if options.json:
        print(json.dumps(sizes, indent=2, sort_keys=True))
        return 0
    if options.of:
        print(parts_of(options.of, classes) if options.of in classes else f"there is no class {options.of}")
        return 0 if options.of in classes else 2
    print(table(classes, sizes))
    found = faults(sizes, json.loads(EXCEPTIONS.read_text())) + faults_of_parts(classes)
    for fault in found:
        print(fault, file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
