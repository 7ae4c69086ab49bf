#include "pmi/spawn_reader.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "pmi/limits.hpp"
#include "spawn_requests.hpp"

namespace ductile::pmi::spawn_reader_test {
namespace {

using Lines = std::vector<std::string>;
using Read = std::variant<SpawnRequest, BadSpawn>;

/// nullopt: the request is not complete.
std::optional<Read> read(const Lines& lines) {
    SpawnReader reader;
    for (const auto& line : lines) reader.add(line);
    return reader.is_complete() ? std::optional(reader.take()) : std::nullopt;
}

/// The smallest request, with these lines in it.
Lines with(Lines lines) {
    for (const auto* line : {"spawnssofar=1", "totspawns=1", "execname=a", "nprocs=1"})
        lines.insert(lines.begin(), line);
    if (lines.back() != "endcmd") {
        lines.emplace_back("info_num=0");
        lines.emplace_back("endcmd");
    }
    return lines;
}

std::vector<std::string> arguments(const Lines& lines) {
    const auto got = read(with(lines));
    if (!got) return {"(not complete)"};
    if (const auto* bad = std::get_if<BadSpawn>(&*got)) return {"(" + bad->why + ")"};
    return std::get<SpawnRequest>(*got).commands.at(0).arguments;
}

TEST(SpawnReader, OneCommand) {
    const SpawnRequest whole{
        {{2, "./solver", {"an argument", "", "a=b"}, {{"host", "a,b"}, {"wdir", "/tmp/x y"}}}},
        {{"PARENT_ROOT_PORT_NAME", "tag#0$x=y$"}}};
    EXPECT_EQ(
        read({"nprocs=2", "execname=./solver", "totspawns=1", "spawnssofar=1", "arg1=an argument",
              "arg2=", "arg3=a=b", "argcnt=3", "preput_num=1", "preput_key_0=PARENT_ROOT_PORT_NAME",
              "preput_val_0=tag#0$x=y$", "info_num=2", "info_key_0=host", "info_val_0=a,b",
              "info_key_1=wdir", "info_val_1=/tmp/x y", "endcmd"}),
        Read{whole});
    EXPECT_EQ(whole.ranks(), 2);
}

TEST(SpawnReader, SeveralCommands) {
    const SpawnRequest whole{{{1, "a", {"x"}, {}}, {3, "b", {}, {{"host", "h"}}}}, {{"k", "v"}}};
    EXPECT_EQ(
        read({"nprocs=1",      "execname=a",   "totspawns=2",    "spawnssofar=1",   "argcnt=1",
              "arg1=x",        "preput_num=1", "preput_key_0=k", "preput_val_0=v",  "info_num=0",
              "endcmd",        "mcmd=spawn",   "nprocs=3",       "execname=b",      "totspawns=2",
              "spawnssofar=2", "argcnt=0",     "info_num=1",     "info_key_0=host", "info_val_0=h",
              "endcmd"}),
        Read{whole});
    EXPECT_EQ(whole.ranks(), 4);
}

TEST(SpawnReader, Refused) {
    const auto long_text = std::string(limits::line_bytes, 'x');
    const struct {
        Lines lines;
        std::string why;
    } table[] = {
        {{"endcmd"}, "one of its texts has a line that begins with 'endcmd', as lines of PMI-1 do"},
        {{"nprocs=1", "execname=a", "totspawns=0", "endcmd"},
         "its totspawns is not from 1 to 1024"},
        {{"nprocs=-1", "endcmd"}, "its nprocs is not from 0 to 65536"},
        {{"nprocs=65537", "endcmd"}, "its nprocs is not from 0 to 65536"},
        {{"nprocs=2 ", "endcmd"}, "its nprocs is not from 0 to 65536"},
        {{"nprocs=", "endcmd"}, "its nprocs is not from 0 to 65536"},
        {{"nprocs=1", "execname=a", "totspawns=1", "spawnssofar=2", "endcmd"},
         "its spawnssofar is not from 1 to 1"},
        {with({"argcnt=99999"}), "its argcnt is not from 0 to 8192"},
        {with({"arg1=a", "argcnt=2"}),
         "its arguments do not have the number that MPI says: MPI has left one out, or one has a "
         "line that begins with 'arg'"},
        {with({"info_num=1", "info_key_0=" + std::string(256, 'k'), "info_val_0=v", "endcmd"}),
         "it has an info key of over 255 bytes, or a value of over 1024"},
        {with({"info_num=1", "info_key_0=k", "info_val_0=" + std::string(1025, 'v'), "endcmd"}),
         "it has an info key of over 255 bytes, or a value of over 1024"},
        {with({"preput_num=1", "preput_key_0=PMI_x", "preput_val_0=a"}),
         "it has a PMI key that is the server's"},
        {with({"preput_num=1", "preput_key_0=", "preput_val_0=a"}),
         "it has a PMI key or value of a wrong length"},
        {{"nprocs", "endcmd"},
         "one of its texts has a line that begins with 'nprocs', as lines of PMI-1 do"},
        {{"nprocs=65537", "execname=a", "totspawns=2", "spawnssofar=1", "info_num=0", "endcmd",
          "mcmd=spawn", "nprocs=1", "execname=a", "totspawns=2", "spawnssofar=2", "info_num=0",
          "endcmd"},
         "its nprocs is not from 0 to 65536"},
        {with({std::string("arg1=\0", 6)}), "it has a text with a zero byte"},
        {with({"arg1=" + long_text, "argcnt=1"}),
         "it has a text of over 128 KiB, or over 2048 KiB in all"},
        {{"nprocs=65536", "execname=a", "totspawns=2", "spawnssofar=1", "info_num=0", "endcmd",
          "mcmd=spawn", "nprocs=1", "execname=a", "totspawns=2", "spawnssofar=2", "info_num=0",
          "endcmd"},
         "it asks for more than 65536 ranks"},
        {{"nprocs=1", "execname=a", "totspawns=2", "spawnssofar=1", "info_num=0", "endcmd",
          "mcmd=spawn", "nprocs=1", "execname=a", "totspawns=3", "endcmd"},
         "its commands are out of order"},
    };
    for (const auto& row : table)
        EXPECT_EQ(read(row.lines), Read{BadSpawn{row.why}}) << row.lines[0].substr(0, 40);
}

// A request that is refused still ends with its last command, and not before.
TEST(SpawnReader, IsReadUpToItsEndWhereverItIsRefused) {
    const std::string long_name = "execname=" + std::string(limits::line_bytes, 'x');
    const struct {
        std::string ranks, program;
        int commands;
        std::string why;
    } table[] = {
        {"nprocs=65537", "execname=a", 3, "its nprocs is not from 0 to 65536"},
        {"nprocs=1", long_name, 2, "it has a text of over 128 KiB, or over 2048 KiB in all"},
        {"nprocs=1", "execname=a", 1025, "its totspawns is not from 1 to 1024"}};
    for (const auto& row : table) {
        SpawnReader reader;
        for (int i = 1; i <= row.commands; ++i) {
            EXPECT_FALSE(reader.is_complete()) << row.why << i;
            if (i > 1) reader.add("mcmd=spawn");
            for (const auto& line :
                 {row.ranks, row.program, "totspawns=" + std::to_string(row.commands),
                  "spawnssofar=" + std::to_string(i), std::string("info_num=0"),
                  std::string("endcmd")})
                reader.add(line);
        }
        ASSERT_TRUE(reader.is_complete()) << row.why;
        EXPECT_EQ(reader.take(), Read{BadSpawn{row.why}});
    }
}

TEST(SpawnReader, TextsWithNewlines) {
    // MPICH from 4.1 on
    EXPECT_EQ(arguments({"argcnt=2", "arg1=import os", "x = 1", "", "arg2=b"}),
              (Lines{"import os\nx = 1\n", "b"}));
    EXPECT_EQ(arguments({"argcnt=1", "arg1=a", "arg2=b", "endcmd", "nprocs=7"}),
              (Lines{"a\narg2=b\nendcmd\nnprocs=7"}));
    EXPECT_EQ(arguments({"argcnt=1", "arg1=a", "argcnt", "info_num"}),
              (Lines{"a\nargcnt\ninfo_num"}));
    // MPICH 4.0, Intel MPI
    EXPECT_EQ(arguments({"arg1=import os", "x = 1", "", "arg2=b", "argcnt=2"}),
              (Lines{"import os\nx = 1\n", "b"}));
    EXPECT_EQ(arguments({"arg1=a", "arg3=b", "argcnt=1"}), (Lines{"a\narg3=b"}));
    const auto read_info = std::get<SpawnRequest>(
        read(with({"argcnt=0", "info_num=2", "info_key_0=k", "info_val_0=a", "endcmd", "b",
                   "info_key_1=l", "info_val_1=c", "d", "endcmd"}))
            .value());
    EXPECT_EQ(read_info.commands.at(0).info,
              (std::vector<InfoEntry>{{"k", "a\nendcmd\nb"}, {"l", "c\nd"}}));
}

TEST(SpawnReader, AmbiguousTextsAreRefused) {
    const auto why = [](const std::string& name) {
        return Lines{"(one of its texts has a line that begins with '" + name +
                     "', as lines of PMI-1 do)"};
    };
    EXPECT_EQ(arguments({"argcnt=2", "arg1=a", "arg2=x", "arg2=b"}), why("arg2"));
    EXPECT_EQ(arguments({"arg1=a", "arg2=x", "argcnt=1"}),
              Lines{"(its arguments do not have the number that MPI says: MPI has left one out, or "
                    "one has a line that begins with 'arg')"});
    EXPECT_EQ(arguments({"arg1=a", "argcnt=1", "argcnt=1"}), why("argcnt"));
    EXPECT_EQ(arguments({"argcnt=1", "arg1=a", "info_num=0", "endcmd", "info_num=0", "endcmd"}),
              why("info_num"));
}

// A request is read as it was made, or it is refused: never anything else.
RC_GTEST_PROP(SpawnReader, NoProgramGetsOtherWords, ()) {
    const auto request = any_request();
    for (const bool count_first : {true, false}) {
        const auto got = read(lines_of(request, count_first));
        RC_ASSERT(got.has_value());
        if (const auto* made = std::get_if<SpawnRequest>(&*got)) RC_ASSERT(*made == request);
        RC_CLASSIFY(std::holds_alternative<SpawnRequest>(*got));
    }
}

TEST(SpawnReader, HoldsABoundedAmount) {
    SpawnReader fields, text;
    for (const auto& line : {"nprocs=1", "execname=a", "totspawns=1", "spawnssofar=1"})
        fields.add(line), text.add(line);
    for (int i = 1; i < 10000; ++i) fields.add("arg" + std::to_string(i) + "=");
    EXPECT_EQ(fields.bytes(), 0U);
    text.add("arg1=");
    for (int i = 0; i < 30; ++i) text.add(std::string(100000, 'x'));
    EXPECT_EQ(text.bytes(), 0U);
    fields.add("endcmd");
    ASSERT_TRUE(fields.is_complete());
    EXPECT_EQ(fields.take(), Read{BadSpawn{"it has more than 8192 arguments"}});
}

}  // namespace
}  // namespace ductile::pmi::spawn_reader_test
