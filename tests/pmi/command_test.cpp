#include "pmi/command.hpp"

#include <gtest/gtest.h>

#include "pmi/limits.hpp"
#include "pmi/line_buffer.hpp"

namespace ductile::pmi::command_test {
namespace {

TEST(Command, Table) {
    const struct {
        const char* line;
        Command command;
    } table[] = {
        {"cmd=init pmi_version=1 pmi_subversion=1", Init{}},
        {"cmd=get_maxes", GetMaxes{}},
        {"cmd=get_universe_size", GetUniverseSize{}},
        {"cmd=get_appnum", GetAppnum{}},
        {"cmd=get_my_kvsname", GetMyKvsname{}},
        {"cmd=put kvsname=w key=k value=v", Put{"w", "k", "v"}},
        {"cmd=put kvsname=w key=k value=", Put{"w", "k", ""}},
        {"cmd=put kvsname=w key=k value=a b=c  d=", Put{"w", "k", "a b=c  d="}},
        {"cmd=put kvsname=w key=-seg-1/9 value=x", Put{"w", "-seg-1/9", "x"}},
        {"cmd=get kvsname=w key=k", Get{"w", "k"}},
        {"cmd=get kvsname=w key=k ", Get{"w", "k"}},
        {"cmd=barrier_in", BarrierIn{}},
        {"cmd=barrier_in ", BarrierIn{}},
        {"cmd=publish_name service=a b port=tag#0$x=y", PublishName{"a b", "tag#0$x=y"}},
        {"cmd=unpublish_name service=a b", UnpublishName{"a b"}},
        {"cmd=lookup_name service=a=b c", LookupName{"a=b c"}},
        {"cmd=finalize", Finalize{}},
        {"cmd=abort exitcode=7", Abort{7}},
        {"cmd=abort exitcode=-2 error_msg=oh no", Abort{-2}},
        {"cmd=abort", Abort{1}},
        {"cmd=abort exitcode=99999999999999", Abort{1}},
        {"mcmd=spawn", BeginSpawn{}},
    };
    for (const auto& row : table) EXPECT_EQ(parse_command(row.line), row.command) << row.line;
}

TEST(Command, Refused) {
    const struct {
        std::string line, why;
    } table[] = {
        {"", "sends a line that is no command"},
        {"hello", "sends a line that is no command"},
        {"cmd", "sends a line that is no command"},
        {"mcmd=other", "sends a line that is no command"},
        {"cmd=", "sends an unknown command"},
        {"cmd=initiate", "sends an unknown command"},
        {"cmd=initack pmiid=3", "sends `initack` twice"},
        {"cmd=singinit authtype=none", "was started on its own, which is not served"},
        {"cmd=init", "asks for another version of PMI than 1"},
        {"cmd=init pmi_version=2 pmi_subversion=0", "asks for another version of PMI than 1"},
        {"cmd=get kvsname=w", "gives no key"},
        {"cmd=get kvsname=w key=", "gives an empty key"},
        {"cmd=get key=w", "gives no kvsname"},
        {"cmd=put kvsname=w key=k", "gives no value"},
        {"cmd=barrier_in\nx", "sends a line that is no command"},
        {"cmd=put kvsname=w key=k value=v\nx", "sends a line that is no command"},
        {"cmd=get kvsname=w key=" + std::string(64, 'k'),
         "gives a key of 64 bytes, and 63 are allowed"},
        {"cmd=put kvsname=w key=k value=" + std::string(1024, 'v'),
         "gives a value of 1024 bytes, and 1023 are allowed"},
        {"cmd=get kvsname=" + std::string(256, 'w') + " key=k",
         "gives a kvsname of 256 bytes, and 255 are allowed"},
        {std::string("cmd=get kvsname=w key=\0k", 24), "sends a line that is no text"},
        {"cmd=finalize" + std::string(limits::line_bytes, ' '), "sends a line that is too long"},
    };
    for (const auto& row : table)
        EXPECT_EQ(parse_command(row.line), Command{Refused{row.why}}) << row.line.substr(0, 99);
}

TEST(Command, NamesThatCannotBeAskedFor) {
    const auto bad = [](NameQuestion question, const std::string& why) {
        return Command{BadName{question, why}};
    };
    EXPECT_EQ(parse_command("cmd=publish_name service=a"),
              bad(NameQuestion::publish, "it gives no port"));
    EXPECT_EQ(parse_command("cmd=publish_name service= port=p"),
              bad(NameQuestion::publish, "it gives an empty service"));
    EXPECT_EQ(parse_command("cmd=lookup_name"), bad(NameQuestion::lookup, "it gives no service"));
    EXPECT_EQ(parse_command("cmd=unpublish_name service=" + std::string(256, 's')),
              bad(NameQuestion::unpublish, "it gives a service of 256 bytes, and 255 are allowed"));
}

TEST(Command, NamesMayHaveNewlines) {
    EXPECT_EQ(parse_command("cmd=publish_name service=a\nb port=p"),
              (Command{PublishName{"a\nb", "p"}}));
    EXPECT_EQ(parse_command("cmd=lookup_name service=a\nb"), (Command{LookupName{"a\nb"}}));
}

TEST(Command, TheLongestValuesFit) {
    const std::string key(63, 'k'), value(1023, 'v');
    EXPECT_EQ(parse_command("cmd=put kvsname=w key=" + key + " value=" + value),
              (Command{Put{"w", key, value}}));
}

using Lines = std::vector<std::string>;

TEST(LineBuffer, YieldsWholeLines) {
    LineBuffer buffer;
    EXPECT_EQ(buffer.add("cmd=in"), Lines{});
    EXPECT_EQ(buffer.add("it\ncmd="), Lines{"cmd=init"});
    EXPECT_EQ(buffer.add("\n\na\nb\n"), (Lines{"cmd=", "", "a", "b"}));
}

TEST(LineBuffer, ALineThatGrowsTooLongIsYieldedAndRefused) {
    LineBuffer buffer;
    const auto lines = buffer.add(std::string(3 * limits::line_bytes, 'x') + "\n");
    ASSERT_FALSE(lines.empty());
    EXPECT_EQ(lines[0].size(), limits::line_bytes + 1);
    EXPECT_EQ(parse_command(lines[0]), Command{Refused{"sends a line that is too long"}});
    EXPECT_EQ(buffer.add("a\n").size(), 1U);
}

}  // namespace
}  // namespace ductile::pmi::command_test
