#include "pmi/spawn_reader.hpp"

#include <gtest/gtest.h>

#include "pmi/limits.hpp"

namespace ductile::pmi::spawn_reader_test {
namespace {

using Lines = std::vector<std::string>;

SpawnProgress read(const Lines& lines) {
    SpawnReader reader;
    for (std::size_t i = 0; i + 1 < lines.size(); ++i) {
        auto progress = reader.add(lines[i]);
        if (!std::holds_alternative<NeedMore>(progress)) return progress;
    }
    return reader.add(lines.back());
}

/// The smallest request. Each line of `further` is added, or replaces the line with its name.
Lines with(Lines further) {
    Lines lines{"nprocs=1", "execname=a", "totspawns=1", "spawnssofar=1"};
    for (auto& line : further) {
        const auto name = line.substr(0, line.find('=') + 1);
        std::erase_if(lines, [&](const auto& known) { return known.starts_with(name); });
        lines.push_back(std::move(line));
    }
    lines.emplace_back("endcmd");
    return lines;
}

TEST(SpawnReader, OneCommand) {
    const SpawnRequest whole{
        {{2, "./solver", {"an argument", "", "a=b"}, {{"host", "a,b"}, {"wdir", "/tmp/x y"}}}},
        {{"PARENT_ROOT_PORT_NAME", "tag#0$x=y$"}}};
    EXPECT_EQ(
        read({"nprocs=2", "execname=./solver", "totspawns=1", "spawnssofar=1", "arg1=an argument",
              "arg2=", "arg3=a=b", "argcnt=3", "preput_num=1", "preput_key_0=PARENT_ROOT_PORT_NAME",
              "preput_val_0=tag#0$x=y$", "info_num=2", "info_key_0=host", "info_val_0=a,b",
              "info_key_1=wdir", "info_val_1=/tmp/x y", "unknown=passed over", "endcmd"}),
        SpawnProgress{whole});
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
        SpawnProgress{whole});
    EXPECT_EQ(whole.ranks(), 4);
}

TEST(SpawnReader, Refused) {
    const struct {
        Lines lines;
        std::string why;
    } table[] = {
        {{"endcmd"}, "spawns without totspawns"},
        {with({"totspawns=0"}), "spawns with a totspawns that is not from 1 to 1024"},
        {with({"totspawns=1025"}), "spawns with a totspawns that is not from 1 to 1024"},
        {with({"nprocs=-1"}), "spawns with a nprocs that is not from 0 to 65536"},
        {with({"nprocs=65537"}), "spawns with a nprocs that is not from 0 to 65536"},
        {with({"nprocs=2 "}), "spawns with a nprocs that is not from 0 to 65536"},
        {with({"nprocs="}), "spawns with a nprocs that is not from 0 to 65536"},
        {with({"spawnssofar=2"}), "spawns with a spawnssofar that is not from 1 to 1"},
        {with({"totspawns=2", "spawnssofar=2"}), "spawns with commands out of order"},
        {{"nprocs=1", "totspawns=1", "spawnssofar=1", "endcmd"}, "spawns without execname"},
        {with({"argcnt=2", "arg1=a"}), "spawns without arg2"},
        {with({"argcnt=99999"}), "spawns with a argcnt that is not from 0 to 8192"},
        {with({"info_num=1", "info_key_0=a"}), "spawns without info_val_0"},
        {with({"info_num=1", "info_key_0=" + std::string(256, 'k'), "info_val_0=v"}),
         "spawns with an info key of over 255 bytes, or a value of over 1024"},
        {with({"info_num=1", "info_key_0=k", "info_val_0=" + std::string(1025, 'v')}),
         "spawns with an info key of over 255 bytes, or a value of over 1024"},
        {with({"preput_num=1", "preput_key_0=PMI_x", "preput_val_0=a"}),
         "spawns with a key that is the server's"},
        {with({"preput_num=1", "preput_key_0=", "preput_val_0=a"}),
         "spawns with a key or a value of a wrong length"},
        {with({"preput_num=1", "preput_key_0=k", "preput_val_0=" + std::string(1024, 'v')}),
         "spawns with a key or a value of a wrong length"},
        {{"nprocs=1", "nprocs=1"}, "spawns with a field given twice"},
        {{"nprocs"}, "spawns with a line that is no field"},
        {{""}, "spawns with a line that is no field"},
        {{std::string("arg1=\0", 6)}, "spawns with a line that is no text"},
        {{"arg1=" + std::string(limits::line_bytes, 'x')}, "spawns with more text than is allowed"},
        {{"nprocs=1", "execname=a", "totspawns=2", "spawnssofar=1", "endcmd", "cmd=finalize"},
         "spawns fewer commands than it announced"},
        {{"nprocs=65536", "execname=a", "totspawns=2", "spawnssofar=1", "endcmd", "mcmd=spawn",
          "nprocs=1", "execname=a", "totspawns=2", "spawnssofar=2", "endcmd"},
         "spawns more than 65536 ranks"},
        {{"nprocs=1", "execname=a", "totspawns=2", "spawnssofar=1", "endcmd", "mcmd=spawn",
          "nprocs=1", "execname=a", "totspawns=3", "spawnssofar=2", "endcmd"},
         "spawns with commands out of order"},
    };
    for (const auto& row : table)
        EXPECT_EQ(read(row.lines), SpawnProgress{Refused{row.why}}) << row.lines[0].substr(0, 40);
}

TEST(SpawnReader, HoldsABoundedAmount) {
    SpawnReader fields, text;
    SpawnProgress last;
    int lines = 0;
    while (std::holds_alternative<NeedMore>(last))
        last = fields.add("x" + std::to_string(lines++) + "=");
    EXPECT_EQ(last, SpawnProgress{Refused{"spawns with more fields than are allowed"}});
    last = NeedMore{};
    for (lines = 0; std::holds_alternative<NeedMore>(last); ++lines)
        last = text.add("x" + std::to_string(lines) + "=" + std::string(100000, 'x'));
    EXPECT_EQ(last, SpawnProgress{Refused{"spawns with more text than is allowed"}});
    EXPECT_LT(lines, 22);
}

}  // namespace
}  // namespace ductile::pmi::spawn_reader_test
