#include <gtest/gtest.h>

#include "broker/launch_spec_wire.hpp"
#include "wire/fields.hpp"

namespace ductile::broker::launch_spec_test {
namespace {

/// No field has its default value. No two fields have the same value, except flags.
LaunchSpec example() {
    LaunchSpec launch;
    launch.environment = {"A=1", "B=2"};
    launch.shared_cores_environment = {"YIELD=1"};
    launch.directory = "/somewhere";
    launch.umask = 077;
    launch.resource_limits = {"7 1024 -1"};
    launch.launcher = {"/usr/bin/mpiexec", "-x"};
    launch.launcher_here = {"-n"};
    launch.launcher_further = {"-hosts", "{hosts}"};
    launch.folder_variables = {"TMPDIR"};
    launch.serves_pmi = launch.keeps_daemons = launch.spawn_blocks_threads = true;
    launch.meters_power = true;
    launch.program = {"/bin/program", "argument"};
    launch.heartbeat_s = 2;
    launch.heartbeat_limit_s = 6;
    launch.orphan_limit_s = 61;
    launch.leave_within_s = 31;
    return launch;
}

nlohmann::json message(const LaunchSpec& launch) {
    return wire::encode_json(std::variant<wire::AgentWelcome>(welcome_of(launch)));
}

TEST(LaunchSpec, ComesBackAsItWas) {
    for (const auto& launch : {LaunchSpec{}, example()})
        EXPECT_EQ(launch_from(welcome_of(launch)), launch);
}

TEST(LaunchSpec, EachFieldOfTheMessageHasItsValue) {
    const auto standard = wire::encode_json(std::variant<wire::AgentWelcome>());
    EXPECT_EQ(message({}), standard);
    const auto all = message(example());
    for (const auto& [key, value] : all.items())
        EXPECT_EQ(value == standard.at(key), key == "type") << key;
    EXPECT_EQ(all.at("launcher_here"), nlohmann::json({"-n"}));
    EXPECT_EQ(all.at("launcher_further"), nlohmann::json({"-hosts", "{hosts}"}));
    EXPECT_EQ(all.at("beat_limit_s"), 6.0);
}

}  // namespace
}  // namespace ductile::broker::launch_spec_test
