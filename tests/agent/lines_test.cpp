#include "agent/lines.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace ductile::agent::lines_test {
namespace {

TEST(Lines, OnlyWholeLinesComeOut) {
    Lines lines(100);
    EXPECT_EQ(lines.add("ab"), "");
    EXPECT_EQ(lines.add("c\nd"), "abc\n");
    EXPECT_EQ(lines.add("\n\ne"), "d\n\n");
    EXPECT_EQ(lines.rest(), "e");
    EXPECT_EQ(lines.rest(), "");
}

TEST(Lines, LineThatIsTooLongIsCut) {
    Lines lines(4);
    EXPECT_EQ(lines.add("abc"), "");
    EXPECT_EQ(lines.add("defg"), "abcdefg");
    EXPECT_EQ(lines.add("h\n"), "h\n");
}

constexpr auto returns = LineEnd::newline_or_return;

TEST(Lines, CarriageReturnEndsAPieceAndBelongsToItsNewline) {
    Lines lines(100);
    EXPECT_EQ(lines.add("10%\r20%", returns), "10%\r");
    EXPECT_EQ(lines.add("\r", returns), "") << "a newline may follow";
    EXPECT_EQ(lines.add("30%\r", returns), "20%\r");
    EXPECT_EQ(lines.add("\nnext", returns), "30%\r\n");
    EXPECT_EQ(lines.add("\r\n", returns), "next\r\n");
    EXPECT_EQ(lines.add("a\rb"), "") << "in whole lines it is a character like others";
}

TEST(Lines, PartialLineIsTakenOnce) {
    Lines lines(100);
    EXPECT_FALSE(lines.has_partial());
    EXPECT_EQ(lines.add("done\nName: ", returns), "done\n");
    EXPECT_TRUE(lines.has_partial());
    EXPECT_EQ(lines.partial(), "Name: ");
    EXPECT_FALSE(lines.has_partial());
    EXPECT_EQ(lines.add("?\n", returns), "?\n");
}

TEST(Lines, CharactersAreNotCut) {
    const std::string two = "\xc3\xa9", three = "\xe2\x82\xac", four = "\xf0\x9f\x99\x82";
    for (const auto& character : {two, three, four}) {
        for (std::size_t cut = 1; cut < character.size(); ++cut) {
            Lines lines(100);
            lines.add("x" + character.substr(0, cut));
            EXPECT_EQ(lines.partial(), "x") << character << " cut at " << cut;
            lines.add(character.substr(cut));
            EXPECT_EQ(lines.partial(), character);
        }
        Lines too_long(character.size());
        EXPECT_EQ(too_long.add("x" + character.substr(0, character.size() - 1)), "x");
    }
    Lines latin1(100);
    latin1.add("\xa9\xa9\xa9\xa9");
    EXPECT_EQ(latin1.partial(), "\xa9\xa9\xa9\xa9") << "no UTF-8: as it is";
}

RC_GTEST_PROP(Lines, PartialLinesLoseNothingEither, (const std::vector<std::string>& pieces)) {
    Lines lines(16);
    std::string in, out;
    for (const auto& piece : pieces) {
        in += piece;
        out += lines.add(piece, returns);
        if (in.size() % 3 == 0) out += lines.partial();
    }
    RC_ASSERT(out + lines.rest() == in);
}

RC_GTEST_PROP(Lines, NothingIsLostOrTurnedAround, (const std::vector<std::string>& pieces)) {
    Lines lines(16);
    std::string in, out;
    for (const auto& piece : pieces) {
        in += piece;
        out += lines.add(piece);
        RC_ASSERT(in.size() - out.size() < 16u);
    }
    RC_ASSERT(out + lines.rest() == in);
}

}  // namespace
}  // namespace ductile::agent::lines_test
