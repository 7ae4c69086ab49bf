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
