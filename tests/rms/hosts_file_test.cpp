#include "rms/hosts_file.hpp"

#include <gtest/gtest.h>

#include <string>

#include "ductile/error.hpp"

namespace ductile::rms::hosts_file_test {
namespace {

TEST(HostsFile, HostsInTheirOrderWithTheirSlots) {
    const auto allocation = parse_hosts(
        "# my hosts\n"
        "h1 slots=4\n"
        "\n"
        "  h2\t# the old one\r\n"
        "10.0.0.3 slots=2 # by number\n"
        "fe80::1",
        "hosts");
    const core::Allocation expected{{{"h1", 4}, {"h2", 1}, {"10.0.0.3", 2}, {"fe80::1", 1}}};
    EXPECT_EQ(allocation, expected);
}

TEST(HostsFile, TheFormsOfOtherLaunchers) {
    const auto allocation = parse_hosts(
        "\xEF\xBB\xBFnode01:2\r\n"
        "NODE02 Slots = 4 max-slots =8\n"
        "node03 max_slots= 3 slots=2\n"
        "17\n"
        "fe80::12:3\n"
        "[fe80::2]:6\n"
        "[::7] slots=2\n",
        "hosts");
    const core::Allocation expected{{{"node01", 2},
                                     {"NODE02", 4, 8},
                                     {"node03", 2, 3},
                                     {"17", 1},
                                     {"fe80::12:3", 1},
                                     {"fe80::2", 6},
                                     {"::7", 2}}};
    EXPECT_EQ(allocation, expected);
}

// $PBS_NODEFILE names a host once for each of its slots.
TEST(HostsFile, AHostNamedAgainGetsMoreSlots) {
    const core::Allocation expected{{{"h1", 3}, {"h2", 2}, {"h3", 5, 6}}};
    EXPECT_EQ(parse_hosts("h1\nh2\nh1\nH1\nh2\nh3:2\nh3 slots=3 max_slots=6\n", "hosts"), expected);
}

struct Refusal {
    std::string text, error;
};

TEST(HostsFile, RefusalsNameFileAndLine) {
    std::string many;
    for (int i = 0; i <= 4096; ++i) many += "h" + std::to_string(i) + "\n";
    const Refusal cases[] = {
        {"", "list:1: the list names no host"},
        {"# none\n\n", "list:1: the list names no host"},
        {"h1\nh1 slots=2\n", "list:2: host h1 is named with and without its slots"},
        {"h1:2\nh1\n", "list:2: host h1 is named with and without its slots"},
        {"h1:600000\nH1:600000\n", "list:2: host H1 has more than 1048576 slots"},
        {"h1 max_slots=2\nh1\nh1\n", "list:3: host h1 has now 3 slots, more than its max_slots=2"},
        {"h1 max_slots=2\nh1 max_slots=3\n", "list:2: host h1 has two numbers as max_slots"},
        {"h1 slots=3 max_slots=2\n", "list:1: slots=3 is more than max_slots=2"},
        {"h1:3 slots=2\n", "list:1: 'slots=2' gives a number that the line has given already"},
        {"h1:\n", "list:1: 'h1:' is neither NAME, NAME:COUNT nor an IPv6 address"},
        {"h1:x\n", "list:1: 'h1:x' is neither NAME, NAME:COUNT nor an IPv6 address"},
        {"h1:0\n", "list:1: 'h1:0': 0 is not a number from 1"},
        {"h1:2:3\n", "list:1: 'h1:2:3' is neither NAME, NAME:COUNT nor an IPv6 address"},
        {"fe80::12345\n", "list:1: 'fe80::12345' is neither"},
        {":2\n", "list:1: '' is not a host name"},
        {"h1 slots=0\n", "list:1: slots=0 is not a number"},
        {"h1 slots=-1\n", "list:1: slots=-1 is not a number"},
        {"h1 slots=\n", "list:1: slots= is not a number"},
        {"h1 slots=4x\n", "list:1: slots=4x is not a number"},
        {"h1 slots=99999999999\n", "list:1: slots=99999999999 is not a number"},
        {"h1 slots=1048577\n", "list:1: slots=1048577 is not a number"},
        {"h1 slots=2 slots=3\n", "list:1: 'slots=3' gives a number"},
        {"h1\nh2 cores=3\n", "list:2: 'cores=3' is not understood"},
        {"h1 4\n", "list:1: '4' is not understood; slots are written slots=N"},
        {"h1 4 all.q@h1 UNDEFINED\n", "list:1: this is a line of Grid Engine's $PE_HOSTFILE"},
        {"h1 h2\n", "list:1: 'h2' is not understood; a line is: NAME [slots=N]"},
        {"h1 cpu=4\n", "list:1: 'cpu=4' is not understood; write slots=N"},
        {"h1:2 binding=rr\n", "list:1: 'binding=rr' is not understood: Ductile binds no ranks"},
        {"h1 user=me\n", "list:1: 'user=me' names a user"},
        {"h1,h2\n", "list:1: 'h1,h2' is a list; write one host on each line"},
        {"h1, h2\n", "list:1: 'h1,' is a list"},
        {"node[01-04]\n", "list:1: 'node[01-04]' is a range of names"},
        {"[01-04]\n", "list:1: '[01-04]' is not [ADDRESS]"},
        {"[h1]:4\n", "list:1: '[h1]:4' is not [ADDRESS] or [ADDRESS]:COUNT"},
        {"[::1\n", "list:1: '[::1' is not [ADDRESS]"},
        {"[::1]x\n", "list:1: '[::1]x' is not [ADDRESS]"},
        {"n[1-2]:4\n", "list:1: 'n[1-2]' is a range of names"},
        {"h1:2,h2:2\n", "list:1: 'h1:2,h2:2' is a list"},
        {"me@::1\n", "list:1: 'me@::1' names a user"},
        {"fe80::1%eth0\n", "list:1: 'fe80::1%eth0' has a zone"},
        {"h1\x1b[31m\n", "list:1: 'h1\x1b[31m' is not a host name"},
        {"h1\rh2\r", "list:1: the lines end in CR alone"},
        {"-oProxyCommand=x\n", "list:1: '-oProxyCommand=x' is not a host name"},
        {"h1;reboot\n", "list:1: 'h1;reboot' is not a host name"},
        {"$(x)\n", "list:1: '$(x)' is not a host name"},
        {"user@h1\n", "list:1: 'user@h1' names a user; write"},
        {std::string(254, 'h') + "\n", "list:1: 'hhh"},
        {std::string("h\0h\n", 4), "list:1: the list has a zero byte"},
        {many, "list:4097: more than 4096 hosts"},
    };
    for (const auto& one : cases) {
        try {
            parse_hosts(one.text, "list");
            ADD_FAILURE() << "accepted: " << one.text.substr(0, 40);
        } catch (const InputError& error) {
            EXPECT_TRUE(std::string(error.what()).starts_with(one.error)) << error.what();
        }
    }
}

TEST(HostsFile, FileThatIsNotThere) {
    EXPECT_THROW(read_hosts_file("/nowhere/hosts"), InputError);
    EXPECT_THROW(read_hosts_file("/"), InputError);
}

}  // namespace
}  // namespace ductile::rms::hosts_file_test
