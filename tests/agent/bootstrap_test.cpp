#include "agent/bootstrap.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include "agent/launcher_run.hpp"
#include "wire/json_line.hpp"
#include "wire/local_socket.hpp"

namespace ductile::agent::bootstrap_test {
namespace {

wire::Json good() {
    wire::StartRun run;
    run.group = core::GroupId{4};
    run.ranks = 2;
    return {{"job", "job-1"},
            {"host", 3},
            {"host_name", "h3"},
            {"generation", 7},
            {"secret", std::string(64, 'a')},
            {"addresses", {"10.0.0.1", "head"}},
            {"port", 4000},
            {"logical", false},
            {"partial_stdout", true},
            {"partial_stderr", false},
            {"welcome", wire::encode_json(wire::ToAgent{wire::AgentWelcome{}})},
            {"runs", {wire::encode_json(wire::ToAgent{run})}}};
}

TEST(Bootstrap, GoodLineIsUnderstood) {
    const auto bootstrap = parse_bootstrap(good().dump());
    EXPECT_EQ(bootstrap.marker(), "job-1.3.7");
    EXPECT_EQ(bootstrap.identity.host.value, 3);
    EXPECT_EQ(bootstrap.addresses.size(), 2u);
    ASSERT_EQ(bootstrap.runs.size(), 1u);
    EXPECT_EQ(bootstrap.runs[0].ranks, 2);
    auto bare = good();
    bare.erase("welcome");
    bare.erase("runs");
    EXPECT_FALSE(parse_bootstrap(bare.dump()).welcome);
}

struct Refusal {
    const char* key;
    wire::Json value;
    const char* place;
};

TEST(Bootstrap, RefusalsNameTheField) {
    const Refusal cases[] = {
        {"job", "", "bootstrap.job"},
        {"job", "../x", "bootstrap.job"},
        {"job", "a.b", "bootstrap.job"},
        {"job", std::string(49, 'j'), "bootstrap.job"},
        {"host", -1, "bootstrap.host"},
        {"host", "0", "bootstrap.host"},
        {"generation", 1e30, "bootstrap.gen"},
        {"secret", "abc", "secret"},
        {"secret", nullptr, "secret"},
        {"addresses", wire::Json::array(), "bootstrap.addresses"},
        {"addresses", "x", "bootstrap.addr"},
        {"port", 0, "bootstrap.port"},
        {"port", 65536, "bootstrap.port"},
        {"logical", 1, "bootstrap.logical"},
        {"partial_stdout", nullptr, "bootstrap.partial_stdout"},
        {"partial_stderr", "no", "bootstrap.partial_stderr"},
        {"welcome", 3, "has no type"},
        {"runs", 3, "bootstrap.runs"},
        {"runs", wire::Json::array({3}), "no type"},
    };
    for (const auto& one : cases) {
        auto json = good();
        json[one.key] = one.value;
        try {
            parse_bootstrap(json.dump());
            ADD_FAILURE() << "accepted: " << one.key << " = " << one.value;
        } catch (const InputError& error) {
            EXPECT_NE(std::string(error.what()).find(one.place), std::string::npos) << error.what();
            EXPECT_EQ(std::string(error.what()).find(std::string(64, 'a')), std::string::npos);
        }
    }
    EXPECT_THROW(parse_bootstrap("not JSON"), InputError);
    EXPECT_THROW(parse_bootstrap("[1]"), InputError);
    auto runs_alone = good();
    runs_alone.erase("welcome");
    EXPECT_THROW(parse_bootstrap(runs_alone.dump()), InputError);
}

TEST(Bootstrap, FirstLineOfADescriptor) {
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    const wire::Fd read_end(ends[0]);
    wire::Fd write_end(ends[1]);
    ASSERT_EQ(::write(ends[1], "first\nsecond\n", 13), 13);
    EXPECT_EQ(read_line(read_end.get()), "first");
    write_end.reset();
    EXPECT_THROW(read_line(read_end.get()), InputError);
}

TEST(LauncherNoise, IsWhatSaysThatNothingIsWrong) {
    EXPECT_TRUE(is_launcher_noise(
        "[h1:12345] plm:rsh: Warning: setpgid(2,2) failed in parent with errno=13"));
    EXPECT_FALSE(is_launcher_noise("ductile: cannot start a rank of ./x: no such file"));
    EXPECT_FALSE(is_launcher_noise(""));
}

}  // namespace
}  // namespace ductile::agent::bootstrap_test
