#include "cli/split_words.hpp"

#include <gtest/gtest.h>

#include "ductile/error.hpp"

namespace ductile::cli::split_words_test {
namespace {

using Words = std::vector<std::string>;

TEST(SplitWords, AsAShellDoes) {
    const struct {
        const char* text;
        Words words;
    } table[] = {
        {"", {}},
        {"  ssh -p 22  {host}\t{command} ", {"ssh", "-p", "22", "{host}", "{command}"}},
        {"'a b' \"c d\"", {"a b", "c d"}},
        {"a' 'b", {"a b"}},
        {"'' \"\"", {"", ""}},
        {R"(a\ b \')", {"a b", "'"}},
        {R"("a\"b" "c\\")", {"a\"b", "c\\"}},
        {R"("a\b")", {"a\\b"}},
        {R"('a\b')", {"a\\b"}},
    };
    for (const auto& row : table) EXPECT_EQ(split_words(row.text), row.words) << row.text;
}

TEST(SplitWords, AQuoteIsClosed) {
    for (const char* text : {"'a", "\"a", R"("a\")"})
        EXPECT_THROW(split_words(text), InputError) << text;
}

}  // namespace
}  // namespace ductile::cli::split_words_test
