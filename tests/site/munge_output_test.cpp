#include "site/munge_output.hpp"

#include <gtest/gtest.h>

#include "ductile/error.hpp"

namespace ductile::site::munge_output_test {
namespace {

TEST(MungeOutput, ACredentialIsOneWord) {
    EXPECT_EQ(parse_sealed("MUNGE:AwQFAAD+/x8=:\n"), "MUNGE:AwQFAAD+/x8=:");
    for (const char* wrong : {"", "\n", "munge: Error: Failed to connect\n", "MUNGE:AwQF\n",
                              "MUNGE:AwQF:\nMUNGE:AwQF:\n", "MUNGE:Aw QF:\n"})
        EXPECT_THROW(parse_sealed(wrong), InputError) << wrong;
}

// munge 0.5.15: unmunge --numeric --keys=UID
TEST(MungeOutput, ThePayloadFollowsTheKeys) {
    EXPECT_EQ(parse_opened("UID:              65534\n\n{\"type\":\"ask\"}"),
              (Opened{65534, "{\"type\":\"ask\"}"}));
    EXPECT_EQ(parse_opened("UID:              0\n\n"), (Opened{0, ""}));
    // What follows the first empty line is the payload, whatever it looks like.
    EXPECT_EQ(parse_opened("UID: 7\n\nUID: 0\n\nx"), (Opened{7, "UID: 0\n\nx"}));
}

TEST(MungeOutput, AnythingElseIsRefused) {
    for (const char* wrong :
         {"", "UID: 7", "UID: 7\nx", "UID: nobody (65534)\n\nx", "UID: -1\n\nx", "UID:\n\nx",
          "UID: 4294967296\n\nx", "STATUS: 0\nUID: 7\n\nx", "\n\nUID: 7"})
        EXPECT_THROW(parse_opened(wrong), InputError) << wrong;
}

}  // namespace
}  // namespace ductile::site::munge_output_test
