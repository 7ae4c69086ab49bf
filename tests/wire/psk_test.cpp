#include "wire/psk.hpp"

#include <gtest/gtest.h>

#include "ductile/error.hpp"

namespace ductile::wire::psk_test {
namespace {

TEST(Psk, IdentityAsTextAndBack) {
    for (const bool stream : {false, true}) {
        const Identity identity{"job-7_a", core::HostIndex{3}, core::Generation{12}, stream};
        EXPECT_EQ(parse_identity(to_text(identity)), identity);
    }
    EXPECT_EQ(to_text({"j", core::HostIndex{1}, core::Generation{2}, true}), "j/1/2/stream");
}

TEST(Psk, OtherTextIsNoIdentity) {
    for (const char* text : {"", "j", "j/1", "/1/2", "j/1/x", "j/-1/2", "j/1/2/", "j/1/2/streams",
                             "j/1/2/stream/x", "j//2", "j/1/99999999999", "j/ 1/2", "j/1/2 "})
        EXPECT_FALSE(parse_identity(text).has_value()) << text;
    EXPECT_FALSE(parse_identity(std::string(300, 'j') + "/1/2").has_value());
}

TEST(Psk, SecretAsHexAndBack) {
    const auto secret = make_secret();
    EXPECT_EQ(secret_from_hex(to_hex(secret)), secret);
    EXPECT_NE(make_secret(), secret);
    std::string upper = to_hex(secret);
    for (auto& c : upper) c = static_cast<char>(std::toupper(c));
    EXPECT_EQ(secret_from_hex(upper), secret);
}

TEST(Psk, BadSecretIsRefusedAndNotRepeated) {
    for (const std::string& text : {std::string(), std::string(63, 'a'), std::string(65, 'a'),
                                    std::string(63, 'a') + "g", std::string(64, ' ')}) {
        try {
            secret_from_hex(text);
            ADD_FAILURE() << "accepted: " << text;
        } catch (const InputError& error) {
            EXPECT_EQ(std::string(error.what()).find("aaa"), std::string::npos);
        }
    }
}

}  // namespace
}  // namespace ductile::wire::psk_test
