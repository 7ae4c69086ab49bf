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

struct Refusal {
    std::string text, error;
};

TEST(HostsFile, RefusalsNameFileAndLine) {
    std::string many;
    for (int i = 0; i <= 4096; ++i) many += "h" + std::to_string(i) + "\n";
    const Refusal cases[] = {
        {"", "list:1: the list names no host"},
        {"# none\n\n", "list:1: the list names no host"},
        {"h1\nh1 slots=2\n", "list:2: host h1 is named twice"},
        {"h1 slots=0\n", "list:1: slots=0 is not a number"},
        {"h1 slots=-1\n", "list:1: slots=-1 is not a number"},
        {"h1 slots=\n", "list:1: slots= is not a number"},
        {"h1 slots=4x\n", "list:1: slots=4x is not a number"},
        {"h1 slots=99999999999\n", "list:1: slots=99999999999 is not a number"},
        {"h1 slots=1048577\n", "list:1: slots=1048577 is not a number"},
        {"h1 slots=2 slots=3\n", "list:1: 'slots=3' is not understood"},
        {"h1\nh2 cores=3\n", "list:2: 'cores=3' is not understood"},
        {"h1 4\n", "list:1: '4' is not understood"},
        {"-oProxyCommand=x\n", "list:1: '-oProxyCommand=x' is not a host name"},
        {"h1;reboot\n", "list:1: 'h1;reboot' is not a host name"},
        {"$(x)\n", "list:1: '$(x)' is not a host name"},
        {"user@h1\n", "list:1: 'user@h1' is not a host name"},
        {std::string(254, 'h') + "\n", "list:1: 'hhh"},
        {std::string("h\0h\n", 4), "list:1: 'h"},
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
