// The same tests for each resource manager: it starts a program on a host with some input, and
// reports the end of the program.
#include "rms/resource_manager.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <optional>

#include "../patience.hpp"
#include "ductile/error.hpp"
#include "rms/self.hpp"

namespace ductile::rms::resource_manager_test {
namespace {

using namespace std::chrono_literals;

struct Adapter {
    const char* name;
    std::function<std::unique_ptr<ResourceManager>()> make;
};

class ResourceManagerTest : public ::testing::TestWithParam<Adapter> {
  protected:
    struct Exit {
        int code;
        std::string said;
    };
    std::optional<Exit> run(const std::vector<std::string>& argv, const std::string& line) {
        const auto manager = GetParam().make();
        std::optional<Exit> exit;
        process = manager->start_agent(io, manager->allocation().at(core::HostIndex{1}).name, argv,
                                       line, [&](int code, const std::string& said) {
                                           exit = Exit{code, said};
                                       });
        const auto end = std::chrono::steady_clock::now() + test::patient(5s);
        while (!exit && std::chrono::steady_clock::now() < end) {
            io.restart();
            io.run_for(10ms);
            if (during) during();
        }
        return exit;
    }
    asio::io_context io;
    std::unique_ptr<AgentProcess> process;
    std::function<void()> during;
};

TEST_P(ResourceManagerTest, AllocationIsWhatWasGiven) {
    const auto manager = GetParam().make();
    ASSERT_EQ(manager->allocation().hosts.size(), 3u);
    EXPECT_EQ(manager->allocation().at(core::HostIndex{1}).slots, 2);
    EXPECT_FALSE(manager->describe().empty());
    EXPECT_FALSE(manager->broker_addresses().empty());
}

TEST_P(ResourceManagerTest, ItHasNoHostsButThese) {
    auto manager = GetParam().make();
    std::vector<HostAnswer> answers;
    manager->attach(
        io, [&](const HostAnswer& answer) { answers.push_back(answer); },
        [](const std::string&) {});
    manager->request(RequestId{1}, {2, {}});
    manager->release(manager->allocation().at(core::HostIndex{1}).name);
    EXPECT_TRUE(answers.empty()) << "answers come from the event loop";
    io.run();
    ASSERT_EQ(answers.size(), 1u);
    const auto denied = std::get<Denied>(answers[0]);
    EXPECT_EQ(denied.id, RequestId{1});
    for (const auto& host : manager->allocation().hosts)
        EXPECT_NE(denied.reason.find(host.name), std::string::npos) << denied.reason;
    EXPECT_FALSE(manager->takes_back());

    manager->cancel(RequestId{1});
    io.restart();
    io.run();
    ASSERT_EQ(answers.size(), 2u);
    EXPECT_EQ(answers[1], (HostAnswer{Denied{RequestId{1}, "cancelled"}}));

    manager->cancel(RequestId{1});
    manager.reset();
    io.restart();
    io.run();
    EXPECT_EQ(answers.size(), 2u) << "nothing is told when it is gone";
}

TEST_P(ResourceManagerTest, ProgramGetsItsLineAndItsEndIsTold) {
    const auto exit =
        run({"/bin/sh", "-c", "read line; echo \"got $line\" >&2; exit 3"}, "the secret line");
    ASSERT_TRUE(exit);
    EXPECT_EQ(exit->code, 3);
    EXPECT_EQ(exit->said, "got the secret line");
    EXPECT_TRUE(process->ended());
}

TEST_P(ResourceManagerTest, LongLineAndMuchStderr) {
    const auto exit =
        run({"/bin/sh", "-c", "wc -c >&2; head -c 300000 /dev/zero | tr '\\0' x >&2; echo end >&2"},
            std::string(2'000'000, 'y'));
    ASSERT_TRUE(exit);
    EXPECT_EQ(exit->said.size(), 4095u);
    EXPECT_TRUE(exit->said.ends_with("xend"));
}

TEST_P(ResourceManagerTest, ProgramThatReadsNothing) {
    const auto exit =
        run({"/bin/sh", "-c", "exec 0<&-; sleep 0.2; exit 0"}, std::string(2'000'000, 'y'));
    ASSERT_TRUE(exit);
    EXPECT_EQ(exit->code, 0);
}

TEST_P(ResourceManagerTest, SignalEndsIt) {
    during = [this] { process->signal(SIGKILL); };
    const auto exit = run({"/bin/sleep", "5"}, "");  // a remote shell may run it
    ASSERT_TRUE(exit);
    EXPECT_EQ(exit->code, 128 + SIGKILL);
}

TEST_P(ResourceManagerTest, ItHasASessionOfItsOwnAndNoneOfOurDescriptors) {
    const auto exit = run({"/bin/sh", "-c",
                           "read a b c d e session rest < /proc/$$/stat; echo $session >&2; "
                           "exec ls /proc/self/fd >&2"},
                          "");
    ASSERT_TRUE(exit);
    const auto line_end = exit->said.find('\n');
    EXPECT_NE(exit->said.substr(0, line_end), std::to_string(::getsid(0)));
    EXPECT_EQ(exit->said.substr(line_end + 1), "0\n1\n2\n3");  // 3 is the directory that ls reads
}

INSTANTIATE_TEST_SUITE_P(
    Adapters, ResourceManagerTest,
    ::testing::Values(Adapter{"local", [] { return make_local(3, 2); }},
                      Adapter{"hosts_by_argv",
                              [] {
                                  return make_hosts({{{"h0", 2}, {"h1", 2}, {"h2", 2}}},
                                                    {"/usr/bin/env", "TO={host}", "{argv}"}, true);
                              }},
                      Adapter{"hosts_by_command",
                              [] {
                                  return make_hosts({{{"h0", 2}, {"h1", 2}, {"h2", 2}}},
                                                    {"/bin/sh", "-c", "exec \"$@\"", "{host}",
                                                     "/bin/sh", "-c", "{command}"},
                                                    true);
                              }},
                      Adapter{"hosts_that_are_here",
                              [] {
                                  return make_hosts(
                                      {{{"localhost", 2}, {"127.0.0.1", 2}, {host_name(), 2}}},
                                      {"/bin/false", "{host}", "{argv}"}, true);
                              }}),
    [](const auto& adapter) { return std::string(adapter.param.name); });

TEST(Hosts, OnThisMachineTheRemoteShellIsUsedWhereItIsWanted) {
    const core::Allocation here{{{"LocalHost", 1}, {"::1", 1}}};
    const std::vector<std::string> shell{"shell", "{host}", "{argv}"};
    const auto direct = make_hosts(here, shell, true);
    EXPECT_EQ(direct->describe(), "2 listed hosts, this machine");
    EXPECT_EQ(direct->bind_address(), "127.0.0.1");
    EXPECT_EQ(direct->broker_addresses(), std::vector<std::string>{"127.0.0.1"});
    EXPECT_EQ(make_hosts(here, shell, false)->describe(), "2 listed hosts, reached by shell");
    const auto mixed = make_hosts({{{"localhost", 1}, {"no-such-host.invalid", 1}}}, shell, true);
    EXPECT_EQ(mixed->describe(), "2 listed hosts, reached by shell");
    EXPECT_EQ(mixed->bind_address(), "::");
}

TEST(Self, ItsOwnNamesAndAddresses) {
    for (const auto& name : {std::string("localhost"), std::string("127.1.2.3"), std::string("::1"),
                             std::string("0:0::1"), host_name()})
        EXPECT_TRUE(is_this_machine(name)) << name;
    for (const auto& address : own_addresses()) EXPECT_TRUE(is_this_machine(address)) << address;
    for (const auto* name : {"192.0.2.1", "2001:db8::1", "no-such-host.invalid", "localhost2", "x"})
        EXPECT_FALSE(is_this_machine(name)) << name;
    EXPECT_FALSE(is_this_machine(host_name() + ".no-such-domain.invalid"));
}

TEST(AgentProcess, ProgramThatIsNotThereIsNamed) {
    asio::io_context io;
    try {
        const AgentProcess process(io, {"/nowhere/ductile", "agent"}, "", {});
        ADD_FAILURE() << "started";
    } catch (const SystemError& error) {
        EXPECT_NE(std::string(error.what()).find("/nowhere/ductile"), std::string::npos);
    }
}

TEST(AgentProcess, LivesOnWhenItsOwnerIsGone) {
    asio::io_context io;
    int pid = 0;
    bool told = false;
    {
        const AgentProcess process(io, {"/bin/sleep", "1000"}, "",
                                   [&](int, const std::string&) { told = true; });
        pid = process.pid();
    }
    io.run_for(100ms);
    EXPECT_EQ(::kill(pid, 0), 0);
    ::kill(pid, SIGKILL);
    io.run_for(500ms);
    EXPECT_FALSE(told);
}

TEST(Local, BadNumbersAreRefused) {
    EXPECT_THROW(make_local(0, 1), InputError);
    EXPECT_THROW(make_local(1, 0), InputError);
    EXPECT_THROW(make_local(5000, 1), InputError);
}

}  // namespace
}  // namespace ductile::rms::resource_manager_test
