#include "broker/console_lines.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace ductile::broker::console_lines_test {
namespace {

constexpr core::Process first{core::GroupId{0}, core::Rank{0}},
    second{core::GroupId{0}, core::Rank{1}};
constexpr core::PartialLines both{true, true};

TEST(ConsoleLines, WholeLinesPassAsTheyAre) {
    ConsoleLines lines({});
    EXPECT_EQ(lines.of_rank(first, 1, "a\rb"), "a\rb");
    EXPECT_EQ(lines.of_rank(second, 1, "c"), "c") << "last lines without newlines";
    EXPECT_EQ(lines.of_ductile(2, "ductile: x\n"), "ductile: x\n");
    ConsoleLines tagged({.tag = true});
    EXPECT_EQ(tagged.of_rank(first, 1, "a\rb\nc\n"), "[g0.0] a\rb\n[g0.0] c\n");
    EXPECT_EQ(tagged.of_rank(second, 2, "d"), "[g0.1] d");
}

TEST(ConsoleLines, AnotherWriterBeginsANewLine) {
    ConsoleLines lines({.partial = both, .same_place = true});
    EXPECT_EQ(lines.of_rank(first, 1, "Name: "), "Name: ");
    EXPECT_EQ(lines.of_rank(first, 1, "? "), "? ") << "the same writer continues its line";
    EXPECT_EQ(lines.of_rank(second, 1, "step 1\n"), "\nstep 1\n");
    EXPECT_EQ(lines.of_rank(first, 1, "rest\n"), "rest\n");
    EXPECT_EQ(lines.of_rank(second, 1, "50%\r"), "50%\r");
    EXPECT_EQ(lines.of_rank(first, 2, "error\n"), "\nerror\n") << "it would write over the 50%";
}

TEST(ConsoleLines, TagsAreAtTheBeginOfLines) {
    ConsoleLines lines({.tag = true, .partial = both, .same_place = true});
    EXPECT_EQ(lines.of_rank(first, 1, "Na"), "[g0.0] Na");
    EXPECT_EQ(lines.of_rank(first, 1, "me: "), "me: ");
    EXPECT_EQ(lines.of_rank(second, 1, "x\ny"), "\n[g0.1] x\n[g0.1] y");
    EXPECT_EQ(lines.of_rank(first, 1, "rest\n"), "\n[g0.0] rest\n");
    EXPECT_EQ(lines.of_rank(first, 1, "10%\r20%\r"), "[g0.0] 10%\r[g0.0] 20%\r");
    EXPECT_EQ(lines.of_rank(first, 1, "\n"), "\n") << "the end of the line that was there";
    EXPECT_EQ(lines.of_rank(first, 1, "a\r\nb\n"), "[g0.0] a\r\n[g0.0] b\n");
}

TEST(ConsoleLines, CarriageReturnAtTheBeginOpensNoLine) {
    ConsoleLines lines({.tag = true, .partial = both, .same_place = true});
    EXPECT_EQ(lines.of_rank(first, 1, "\r"), "\r");
    EXPECT_EQ(lines.of_rank(second, 1, "\r1"), "\r[g0.1] 1");
    EXPECT_EQ(lines.of_rank(second, 1, "\r2\r\r"), "\r[g0.1] 2\r\r");
}

TEST(ConsoleLines, MessagesOfDuctileBeginANewLine) {
    ConsoleLines lines({.tag = true, .partial = both, .same_place = true});
    EXPECT_EQ(lines.of_rank(first, 1, "Name: "), "[g0.0] Name: ");
    EXPECT_EQ(lines.of_ductile(2, "ductile: a\n"), "\nductile: a\n");
    EXPECT_EQ(lines.of_ductile(2, "ductile: b\n"), "ductile: b\n");
    EXPECT_EQ(lines.of_rank(first, 1, "x\n"), "[g0.0] x\n");
}

TEST(ConsoleLines, StreamsToDifferentPlacesDoNotBreakEachOther) {
    ConsoleLines lines({.partial = both});
    EXPECT_EQ(lines.of_rank(first, 1, "Name: "), "Name: ");
    EXPECT_EQ(lines.of_rank(second, 2, "error\n"), "error\n");
    EXPECT_EQ(lines.of_rank(first, 1, "?\n"), "?\n");
    ConsoleLines errors_alone({.partial = {.in_stderr = true}});
    EXPECT_EQ(errors_alone.of_rank(first, 1, "a"), "a");
    EXPECT_EQ(errors_alone.of_rank(second, 1, "b"), "b");
    EXPECT_EQ(errors_alone.of_rank(first, 2, "a"), "a");
    EXPECT_EQ(errors_alone.of_rank(second, 2, "b"), "\nb");
}

TEST(ConsoleLines, TheStreamsOfOneProcessMixAsItWritesThem) {
    ConsoleLines lines({.partial = both, .same_place = true});
    EXPECT_EQ(lines.of_rank(first, 1, "a"), "a");
    EXPECT_EQ(lines.of_rank(first, 2, "b"), "b");
}

TEST(ConsoleLines, TheReturnKeyEndsTheLineOfAPrompt) {
    ConsoleLines lines({.tag = true, .partial = both, .same_place = true});
    EXPECT_EQ(lines.of_rank(first, 1, "Name: "), "[g0.0] Name: ");
    lines.end_lines();
    EXPECT_EQ(lines.of_rank(first, 1, "hello\n"), "[g0.0] hello\n");
}

RC_GTEST_PROP(ConsoleLines, OneWriterIsNotChanged, (const std::vector<std::string>& pieces)) {
    ConsoleLines lines({.partial = both, .same_place = true});
    std::string in, out;
    for (const auto& piece : pieces) {
        in += piece;
        out += lines.of_rank(first, 1 + static_cast<int>(in.size() % 2), piece);
    }
    RC_ASSERT(out == in);
}

}  // namespace
}  // namespace ductile::broker::console_lines_test
