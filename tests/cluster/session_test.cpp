#include "cluster/session.hpp"

#include <gtest/gtest.h>

#include "ductile/error.hpp"

namespace ductile::cluster::session_test {
namespace {

TEST(SessionRequest, IsReadBackAsItWasWritten) {
    SessionRequest request;
    request.umask = 027;
    request.directory = "/a b";
    request.command = {"printf", "", "x=y"};
    request.environment = {"A=1", "EMPTY="};
    const SessionRequest back = to_session_request(to_words(request));
    EXPECT_EQ(back.umask, request.umask);
    EXPECT_EQ(back.directory, request.directory);
    EXPECT_EQ(back.command, request.command);
    EXPECT_EQ(back.environment, request.environment);
    request.environment.clear();
    EXPECT_TRUE(to_session_request(to_words(request)).environment.empty());
}

TEST(SessionRequest, IsRefusedWhenMalformed) {
    const Words cases[] = {
        {},
        {"18", "/", "1"},
        {"18", "/", "0", "ls"},
        {"18", "/", "2", "ls"},
        {"18", "/", "1", ""},
        {"18", "/", "-1", "ls"},
        {"18", "/", "1x", "ls"},
        {"18", "/", "99999999999999999999999", "ls"},
        {"4096", "/", "1", "ls"},
        {"x", "/", "1", "ls"},
    };
    for (const auto& words : cases)
        EXPECT_THROW(to_session_request(words), InputError) << join(words);
}

}  // namespace
}  // namespace ductile::cluster::session_test
