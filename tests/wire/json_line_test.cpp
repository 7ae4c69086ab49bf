#include "wire/json_line.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

namespace ductile::wire::json_line_test {
namespace {

RC_GTEST_PROP(JsonLine, AnyBytesComeBack, (const std::vector<std::string>& strings)) {
    const Json json{{"strings", strings}, {"number", 7}, {"deep", {{"text", strings}}}};
    const auto line = to_line(json);
    RC_ASSERT(std::all_of(line.begin(), line.end(), [](char c) { return c >= ' ' && c < 127; }));
    RC_ASSERT(from_line(line) == json);
}

TEST(JsonLine, EachOfAllBytesComesBack) {
    std::string all;
    for (int byte = 0; byte < 256; ++byte) all += static_cast<char>(byte);
    EXPECT_EQ(from_line(to_line(all)), Json(all));
}

TEST(JsonLine, WhatIsNoneIsRefused) {
    EXPECT_THROW(from_line("{"), InputError);
    EXPECT_THROW(from_line(""), InputError);
    EXPECT_THROW(from_line(R"({"a": "\u0100"})"), InputError);
    EXPECT_EQ(from_line(R"({"a": "\u00e9"})")["a"], Json("\xe9"));
}

}  // namespace
}  // namespace ductile::wire::json_line_test
