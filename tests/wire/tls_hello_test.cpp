// The first bytes of a connection.
#include "wire/tls_hello.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace ductile::wire::tls_hello_test {
namespace {

/// A record of `length` bytes, of which `sent` have come, with a message that announces
/// `announced`.
std::string record(std::size_t length, std::size_t sent, std::size_t announced, char type = 1) {
    const auto low = [](std::size_t value, int byte) {
        return static_cast<char>(value >> (8 * byte) & 0xff);
    };
    std::string body{type, low(announced, 2), low(announced, 1), low(announced, 0)};
    body.resize(std::max(sent, body.size()), 'x');
    return std::string{22, 3, 1, low(length, 1), low(length, 0)} + body.substr(0, sent);
}

TEST(TlsHello, IsWholeWithItsLastByte) {
    for (const std::size_t length : {5UL, 255UL, 256UL, 512UL, 16384UL}) {
        const auto whole = record(length, length, length - 4);
        EXPECT_EQ(hello_in(whole), Hello::complete) << length;
        EXPECT_EQ(hello_in(whole + "more"), Hello::complete) << length;
        for (std::size_t n = 0; n < whole.size(); n += n < 16 ? 1 : 101)
            EXPECT_EQ(hello_in(std::string_view(whole).substr(0, n)), Hello::incomplete) << n;
    }
}

TEST(TlsHello, AnythingElseIsNone) {
    for (const std::string bytes : {"GET / HTTP/1.0\r\n", "\x17\x03\x03", "\x16\x02", "SSH-2.0"})
        EXPECT_EQ(hello_in(bytes), Hello::none) << bytes;
    EXPECT_EQ(hello_in(record(0, 0, 0)), Hello::none);
    EXPECT_EQ(hello_in(record(16385, 0, 0)), Hello::none);
    EXPECT_EQ(hello_in(record(512, 512, 508, 2)), Hello::none) << "a ServerHello";
}

// A complete record with an incomplete message would keep a handshake waiting.
TEST(TlsHello, AMessageIsAsLongAsItsRecord) {
    EXPECT_EQ(hello_in(std::string("\x16\x03\x01\0\x04\x01\0\0\xfc", 9)), Hello::none);
    EXPECT_EQ(hello_in(record(512, 512, 509)), Hello::none);
    EXPECT_EQ(hello_in(record(512, 512, 0xffffff)), Hello::none);
    EXPECT_EQ(hello_in(record(512, 512, 507)), Hello::none);
}

}  // namespace
}  // namespace ductile::wire::tls_hello_test
