// Text from outside on a terminal.
#include "wire/printable.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>

namespace ductile::wire::printable_test {
namespace {

TEST(Printable, TextStays) {
    for (const std::string text :
         {"", "plain", "two\nlines\tand a tab", "h\xc3\xb6he", "\xe2\x86\x92", "\xf0\x9f\x98\x80"})
        EXPECT_EQ(printable(text), text);
}

TEST(Printable, WhatATerminalObeysIsShown) {
    EXPECT_EQ(printable("\x1b]0;title\x07"), "\\x1b]0;title\\x07");
    EXPECT_EQ(printable("a\rb"), "a\\x0db");
    EXPECT_EQ(printable("\x7f"), "\\x7f");
    EXPECT_EQ(printable("\xc2\x9b"
                        "2J"),
              "\\xc2\\x9b2J")
        << "C1, as UTF-8";
    EXPECT_EQ(printable("\x9b"
                        "2J"),
              "\\x9b2J")
        << "C1, as a byte";
    EXPECT_EQ(printable("\xe2\x80\xae"), "\\xe2\\x80\\xae") << "right to left";
    EXPECT_EQ(printable(std::string("\0", 1)), "\\x00");
}

TEST(Printable, BytesThatAreNoTextAreShown) {
    for (const std::string bytes :
         {"\xff", "\xc3", "\xe2\x86", "\xc0\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\x80"})
        EXPECT_EQ(printable(bytes).find_first_not_of("\\x0123456789abcdef"), std::string::npos);
}

TEST(Printable, TextThatGoesOnOneLine) {
    EXPECT_EQ(on_one_line("a\nb\tc\x1b[2J\x7f"), "a b c [2J ");
    EXPECT_EQ(on_one_line("\xc3\xa4"), "\xc3\xa4");
}

RC_GTEST_PROP(Printable, NoControlByteComesOut, (const std::string& text)) {
    const auto shown = printable(text);
    for (const char c : shown) {
        const auto byte = static_cast<unsigned char>(c);
        RC_ASSERT(byte >= 0x20 || c == '\n' || c == '\t');
        RC_ASSERT(byte != 0x7f);
    }
    RC_ASSERT(printable(shown) == shown);
}

}  // namespace
}  // namespace ductile::wire::printable_test
