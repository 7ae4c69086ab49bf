#include "cluster/names.hpp"

#include <gtest/gtest.h>

#include "ductile/error.hpp"

namespace ductile::cluster::names_test {
namespace {

TEST(HostName, IsReadBackAsItsNumber) {
    EXPECT_EQ(host_name(head), "head");
    EXPECT_EQ(host_name(3), "node03");
    EXPECT_EQ(host_name(64), "node64");
    for (int number = head; number <= max_hosts; ++number)
        EXPECT_EQ(host_number(host_name(number), max_hosts), number);
}

TEST(HostName, IsRefusedWhenTheClusterHasNoSuchHost) {
    for (const char* name :
         {"node05", "node00", "node3", "node003", "NODE01", "", "node01 ", "localhost"})
        EXPECT_THROW(host_number(name, 4), InputError) << name;
}

TEST(HostAddress, IsOneForEachHost) {
    EXPECT_EQ(host_address(head), "10.66.0.254");
    EXPECT_EQ(host_address(3), "10.66.0.3");
    EXPECT_EQ(host_mac_bytes(3), std::string("\x02\x66\0\0\0\x03", 6));
    EXPECT_NE(host_mac_bytes(head), host_mac_bytes(max_hosts));
}

TEST(ClusterSpec, IsBounded) {
    struct Case {
        ClusterSpec spec;
        bool is_good;
    };
    const Case cases[] = {
        {{"default", 1, 1}, true},
        {{"a-1", 64, 1024}, true},
        {{std::string(32, 'a'), 4, 2}, true},
        {{"default", 0, 1}, false},
        {{"default", 65, 1}, false},
        {{"default", -1, 1}, false},
        {{"default", 4, 0}, false},
        {{"default", 4, 1025}, false},
        {{"", 4, 1}, false},
        {{std::string(33, 'a'), 4, 1}, false},
        {{"../up", 4, 1}, false},
        {{"1st", 4, 1}, false},
        {{"Big", 4, 1}, false},
        {{"a b", 4, 1}, false},
    };
    for (const auto& [spec, is_good] : cases) {
        if (is_good) {
            EXPECT_NO_THROW(validate(spec)) << spec.name;
        } else {
            EXPECT_THROW(validate(spec), InputError)
                << spec.name << ' ' << spec.hosts << ' ' << spec.cores;
        }
    }
}

TEST(EtcHosts, NamesAllHostsAndLeadsToTheState) {
    const std::string text = etc_hosts({"default", 2, 4}, "/tmp/ductile-0/cluster-default");
    EXPECT_EQ(text,
              "# ductile cluster, state in /tmp/ductile-0/cluster-default\n"
              "127.0.0.1 localhost\n::1 localhost\n"
              "10.66.0.254 head\n10.66.0.1 node01\n10.66.0.2 node02\n");
    EXPECT_EQ(state_dir_of(text), "/tmp/ductile-0/cluster-default");
    EXPECT_EQ(state_dir_of("127.0.0.1 localhost\n# ductile cluster, state in /x\n"), "");
    EXPECT_EQ(state_dir_of(""), "");
}

TEST(SlotsFile, HasALineForEachHost) {
    EXPECT_EQ(slots_file({"default", 2, 4}), "node01 slots=4\nnode02 slots=4\n");
}

}  // namespace
}  // namespace ductile::cluster::names_test
