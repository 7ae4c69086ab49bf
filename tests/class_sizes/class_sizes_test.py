"""What class_sizes.py counts, on classes whose numbers are known."""
import json
import tempfile
from pathlib import Path

import class_sizes
import pytest

pytest.importorskip("clang.cindex", reason="there is no module clang.cindex (on Debian and Ubuntu: apt-get install python3-clang)")

# The text of a header of src/broker, and the numbers of its classes: {name: (functions, data)}.
SNIPPETS = {
    "functions that somebody wrote": ("""
        struct Written {
            explicit Written(int) {}
            ~Written();
            Written(const Written&) = delete;
            Written& operator=(const Written&) = delete;
            Written(Written&&) = default;
            void twice();
            void twice(int);
            static void once();
            operator bool() const;
            template <class T> void any(T) {}
            bool operator==(const Written&) const = default;
            friend void stranger(Written&) {}
        };
        struct Implicit { int value; };""",
                                      {"Written": (7, 0), "Implicit": (0, 1)}),
    "data that may change": ("""
        class Data {
            int one, two;
            const int three = 3;
            int& four;
            static int five;
            inline static int six = 6;
            static constexpr int seven = 7;
            static const int eight = 8;
            int nine[4];
        };""", {"Data": (0, 7)}),
    "anonymous members": ("""
        struct Anonymous {
            union { int one; float two; };
            struct { int three; int four; } named;
        };""", {"Anonymous": (0, 4), "Anonymous::(line 10)": (0, 2)}),
    "state inside of a class": ("""
        class Outer {
            struct Inner { int one, two, three; };
            class Private { int one, two; void three(); };
            Inner inner_;
            std::optional<Inner> maybe_;
            std::unique_ptr<Private> owned_;
            std::vector<Inner> many_;
            std::map<int, Inner> by_number_;
            const Inner known_;
            Inner* elsewhere_;
        };""", {"Outer": (0, 3 + 3 + 2 + 1 + 1 + 1 + 1), "Outer::Inner": (0, 3), "Outer::Private": (1, 2)}),
    "an implementation that is hidden": ("""
        class Hidden {
            struct Parts;
            std::unique_ptr<Parts> parts_;
        };
        struct Hidden::Parts { int one, two; Hidden* back; };""", {"Hidden": (0, 3), "Hidden::Parts": (0, 3)}),
    "a struct beside the class": ("""
        struct Beside { int one, two; void function(); };
        struct Deeper { int three; Beside beside; };
        class Holder { std::optional<Deeper> deeper_; int four_; };""",
                                  {"Holder": (0, 4), "Deeper": (0, 3), "Beside": (1, 2)}),
    "a struct that two have": ("""
        struct Shared { int one, two; };
        class First { Shared shared_; };
        class Second { std::vector<Shared> shared_; };""", {"First": (0, 1), "Second": (0, 1)}),
    "a struct that another one only refers to": ("""
        struct Seen { int one, two; };
        class Owner { Seen seen_; };
        class Looks { Seen* one_; const Seen& two_; std::weak_ptr<Seen> three_; std::function<void(Seen)> four_; };""",
                                                 {"Owner": (0, 2), "Looks": (0, 4)}),
    "a part with a life of its own": ("""
        class Part { public: void on(int); private: int one_, two_; };
        class Whole { Part part_; };""", {"Whole": (0, 1), "Part": (1, 2)}),
    "states of which there is one at a time": ("""
        class Machine {
            struct Idle {};
            struct Busy { int one, two, three; };
            struct Over { int one; };
            std::variant<Idle, Busy, Over> state_;
            std::optional<std::variant<Idle, Over>> before_;
        };""", {"Machine": (0, 4), "Machine::Busy": (0, 3)}),
    "bases": ("""
        struct Fields { int one, two; };
        class Interface { public: virtual ~Interface() = default; virtual void act() = 0; };
        class Derived : Fields, public Interface { int three_; void act() override; };""", {"Derived": (1, 3), "Interface": (1, 0)}),
    "templates": ("""
        template <class T> class Box { T one_; void function(); public: template <class U> void any(U); };
        template <class T> class Box<T*> { T* one_; int two_; };
        class Boxes { Box<int> one_; Box<char> two_; };""", {"Boxes": (0, 2), "Box": (2, 1), "Box<T *>": (0, 2)}),
    "a state that holds itself": ("""
        struct Node { std::unique_ptr<Node> next; int value; };""", {"Node": (0, 2)}),
    "classes of functions do not count": ("""
        inline int function() { struct Local { int one; }; return Local{1}.one; }
        struct Global { int function() { auto lambda = [] { return 1; }; return lambda(); } };""", {"Global": (1, 0)}),
}
HEAD = """#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <variant>
#include <vector>
namespace ductile::broker {"""


def tree(folder, files):
    """A tree of sources, and the compilation database that GCC would have."""
    commands = []
    for name, text in files.items():
        path = folder / "src" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        if name.endswith(".cpp"):
            commands.append({"directory": str(folder), "file": str(path),
                             "command": f"ccache c++ -I{folder}/src -isystem /nowhere -std=c++20 -Wno-restrict -O2 -o x.o -c {path}"})
    return commands


def counted(files):
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        return class_sizes.sizes_of(class_sizes.read_classes(folder, tree(folder, files)))


@pytest.mark.parametrize("what", SNIPPETS)
def test_known_classes(what):
    text, expected = SNIPPETS[what]
    sizes = counted({"broker/one.hpp": f"{HEAD}{text}\n}}\n", "broker/one.cpp": '#include "broker/one.hpp"\n'})
    for name, (functions, data) in expected.items():
        assert sizes.get(f"broker::{name}") == {"functions": functions, "data": data}, (name, sorted(sizes))
    assert not [name for name in sizes if "Local" in name]


def test_files_of_a_folder():
    """Sources count as headers do; an anonymous namespace is called by its file, and other folders do not matter."""
    hidden = "namespace ductile::agent { namespace { struct Hidden { int one; }; } }\n"
    outer = '#include "agent/outer.hpp"\nnamespace ductile::agent { struct Outer::Impl { int one, two; }; }\n'
    sizes = counted({"agent/outer.hpp": "#include <memory>\n#include \"core/other.hpp\"\nnamespace ductile::agent { class Outer { struct Impl; std::unique_ptr<Impl> impl_; core::Other other_; }; }\n",
                     "core/other.hpp": "namespace ductile::core { struct Other { int one, two, three; }; }\n",
                     "agent/one.cpp": hidden, "agent/two.cpp": hidden, "agent/outer.cpp": outer})
    assert sizes == {"agent::(one.cpp)::Hidden": {"functions": 0, "data": 1}, "agent::(two.cpp)::Hidden": {"functions": 0, "data": 1},
                     "agent::Outer": {"functions": 0, "data": 3}, "agent::Outer::Impl": {"functions": 0, "data": 2}}, sizes


def test_files_of_a_unity_build():
    """The compilation database names files of the build folder; the sources themselves are read."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        commands = tree(folder, {"agent/one.cpp": "namespace ductile::agent { namespace { struct Hidden { int one; }; } }\n"})
        for entry in commands:
            entry["file"], entry["directory"] = f"{folder}/build/src/agent/unity_0.cxx", f"{folder}/build"
        assert class_sizes.sizes_of(class_sizes.read_classes(folder, commands)) == {"agent::(one.cpp)::Hidden": {"functions": 0, "data": 1}}


@pytest.mark.parametrize("files, said", (
    ({"rms/a.cpp": "struct One { Nowhere two; };\n"}, "src/rms/a.cpp"),
    ({"rms/a.hpp": "struct One {};\n"}, "src/rms is in the compilation database"),
    ({"core/a.cpp": "struct One {};\n"}, "no class was found")))
def test_what_cannot_be_read_is_named(files, said):
    """A class that clang does not understand would not be counted."""
    with pytest.raises(class_sizes.Unreadable) as error:
        counted(files)
    assert said in str(error.value)


PARTS = """
    class Whole;
    class Wheel { int turns_; };
    struct Plan { int size; };
    class Engine { Wheel* wheel_; std::shared_ptr<Whole> all_; const Plan& plan_; Engine* before_; std::optional<Wheel> own_; };
    class Whole { const Plan plan_; Wheel wheel_; std::unique_ptr<Engine> engine_; };
    class Looks { const Whole& whole_; };"""


def test_parts_know_no_other_part():
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        files = {"broker/one.hpp": f"{HEAD}{PARTS}\n}}\n", "broker/one.cpp": '#include "broker/one.hpp"\n'}
        classes = class_sizes.read_classes(folder, tree(folder, files))
    assert class_sizes.faults_of_parts(classes, ("broker::Whole",)) == [
        "broker::Engine is a part of broker::Whole and may not know broker::Wheel: wheel_",
        "broker::Engine is a part of broker::Whole and may not know broker::Whole: all_"]
    assert class_sizes.faults_of_parts(classes, ("broker::Gone",)) == ["there is no class broker::Gone, whose parts were to be looked at"]


LARGE = {"A": {"functions": 30, "data": 12}}
SMALL = {"A": {"functions": 25, "data": 12}}
REASON = {"reason": "it is a test"}


@pytest.mark.parametrize("sizes, exceptions, said", (
    (SMALL, {}, []),
    (LARGE, {}, ["A has 30 member functions: a class has 25 at most"]),
    ({"A": {"functions": 0, "data": 13}}, {}, ["A has 13 data members: a class has 12 at most"]),
    (LARGE, {"A": {"functions": 30, **REASON}}, []),
    (LARGE, {"A": {"functions": 29, **REASON}}, ["A has 30 member functions: its exception allows 29"]),
    (LARGE, {"A": {"functions": 40, **REASON}}, []),
    (LARGE, {"A": {"functions": 30, "data": 20, **REASON}}, ["A needs no exception for its data members any more (12): take it out"]),
    (SMALL, {"A": {"functions": 30, **REASON}}, ["A needs no exception for its member functions any more (25): take it out"]),
    (SMALL, {"B": {"functions": 30, **REASON}}, ["B has an exception, and there is no such class: take it out"]),
    (LARGE, {"A": {"functions": 30}}, ["A has an exception without a reason"]),
    (LARGE, {"A": {"functions": 30, "lines": 4, **REASON}}, ["the exception of A has unknown words: lines"]),
    (SMALL, {"A": REASON}, ["the exception of A allows nothing"])))
def test_exceptions_hold_and_end(sizes, exceptions, said):
    assert class_sizes.faults(sizes, exceptions) == said


def test_exceptions_are_read():
    exceptions = json.loads(class_sizes.EXCEPTIONS.read_text())
    assert all(set(one) <= {*class_sizes.LIMITS, "reason"} for one in exceptions.values()), exceptions
