// JSON from outside.
#include "wire/parse_json.hpp"

#include <gtest/gtest.h>

#include "wire/json_line.hpp"

namespace ductile::wire::parse_json_test {
namespace {

TEST(ParseJson, TextBecomesAValue) {
    EXPECT_EQ(parse_json(R"({"a": [1, "b"]})", "it").at("a").at(1), "b");
}

TEST(ParseJson, WhatIsNoJsonIsNamed) {
    for (const char* text : {"", "{", "{} {}", "[1,]", "nul", "\"\xff\""}) {
        try {
            parse_json(text, "the answer");
            FAIL() << text;
        } catch (const InputError& error) {
            EXPECT_TRUE(std::string(error.what()).starts_with("the answer is not JSON"));
        }
    }
}

TEST(ParseJson, DepthIsBounded) {
    const auto nested = [](int depth) {
        return std::string(static_cast<std::size_t>(depth), '[') +
               std::string(static_cast<std::size_t>(depth), ']');
    };
    EXPECT_NO_THROW(parse_json(nested(64), "it"));
    EXPECT_THROW(parse_json(nested(65), "it"), InputError);
    EXPECT_THROW(parse_json(nested(1000000), "it"), InputError);
    EXPECT_THROW(from_line(nested(1000000)), InputError);
}

}  // namespace
}  // namespace ductile::wire::parse_json_test
