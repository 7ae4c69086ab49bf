#include "cluster/print_cluster.hpp"

#include <gtest/gtest.h>

namespace ductile::cluster::print_cluster_test {
namespace {

TEST(StatusTable, HasALineForEachHost) {
    EXPECT_EQ(status_table(R"({"name": "t", "hosts_file": "/s/hosts", "hosts": [
                  {"name": "head", "address": "10.66.0.254", "cores": 2, "state": "up", "processes": 3},
                  {"name": "node01", "address": "10.66.0.1", "cores": 2, "state": "frozen,cut", "processes": 12}]})"),
              "cluster t, hosts file /s/hosts\n"
              "host    address        cores  state        processes\n"
              "head    10.66.0.254        2  up                   3\n"
              "node01  10.66.0.1          2  frozen,cut          12\n");
}

TEST(ProcessTable, PutsOurOwnInBrackets) {
    EXPECT_EQ(process_table(R"({"host": "node01", "processes": [
                  {"pid": 1, "ppid": 0, "state": "S", "name": "host-init", "command": ["x"], "furniture": true},
                  {"pid": 9, "ppid": 1, "state": "R", "name": "sh", "command": ["sh", "-c", "a b"], "furniture": false},
                  {"pid": 10, "ppid": 9, "state": "Z", "name": "ls", "command": [], "furniture": false}]})"),
              "    PID    PPID S COMMAND\n"
              "      1       0 S [host-init]\n"
              "      9       1 R sh -c a b\n"
              "     10       9 Z [ls]\n");
}

}  // namespace
}  // namespace ductile::cluster::print_cluster_test
