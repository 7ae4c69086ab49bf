// The first bytes of a connection.
#include "wire/tls_hello.hpp"

#include <gtest/gtest.h>

#include <string>

namespace ductile::wire {
namespace {

std::string record(std::size_t length, std::size_t sent) {
    std::string bytes{22, 3, 1, static_cast<char>(length >> 8), static_cast<char>(length & 0xff)};
    return bytes + std::string(sent, 'x');
}

TEST(TlsHello, IsWholeWithItsLastByte) {
    for (const std::size_t length : {1, 255, 256, 512, 16384}) {
        const auto whole = record(length, length);
        EXPECT_EQ(hello_in(whole), Hello::complete) << length;
        EXPECT_EQ(hello_in(whole + "more"), Hello::complete) << length;
        for (std::size_t n = 0; n < whole.size(); n += n < 8 ? 1 : 101)
            EXPECT_EQ(hello_in(std::string_view(whole).substr(0, n)), Hello::incomplete) << n;
    }
}

TEST(TlsHello, AnythingElseIsNone) {
    for (const std::string bytes : {"GET / HTTP/1.0\r\n", "\x17\x03\x03", "\x16\x02", "SSH-2.0"})
        EXPECT_EQ(hello_in(bytes), Hello::none) << bytes;
    EXPECT_EQ(hello_in(record(0, 0)), Hello::none);
    EXPECT_EQ(hello_in(record(16385, 0)), Hello::none);
    EXPECT_EQ(hello_in(record(65535, 65535)), Hello::none);
}

}  // namespace
}  // namespace ductile::wire
