#include "report/field_picture.hpp"

#include <gtest/gtest.h>

#include <array>
#include <nlohmann/json.hpp>
#include <sstream>

#include "ductile/error.hpp"

namespace ductile::report::field_picture_test {
namespace {

// A field in which each point holds the number of its row.
std::string field_of(std::int64_t rows, std::int64_t cols, std::string bytes = "DUCTHEAT") {
    const std::array<std::int64_t, 3> numbers{rows, cols, 7};
    bytes.append(reinterpret_cast<const char*>(numbers.data()), sizeof numbers);
    for (std::int64_t i = 0; i < rows; ++i) {
        const auto value = static_cast<double>(i);
        for (std::int64_t j = 0; j < cols; ++j)
            bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
    }
    return bytes;
}

FieldPicture read_bytes(const std::string& bytes) {
    std::istringstream file(bytes);
    return read_field(file);
}

TEST(FieldPicture, ASmallFieldStaysAsItIs) {
    const auto picture = read_bytes(field_of(3, 2));
    EXPECT_EQ(picture.rows, 3);
    EXPECT_EQ(picture.cols, 2);
    EXPECT_EQ(picture.step, 7);
    EXPECT_EQ(picture.values, (std::vector<double>{0, 0, 1, 1, 2, 2}));
}

struct Case {
    std::int64_t rows, cols;
    int picture_rows, picture_cols;
};

TEST(FieldPicture, ALargeFieldIsAveraged) {
    for (const auto& c :
         {Case{1536, 1000, 256, 250}, Case{257, 3, 129, 3}, Case{512, 256, 256, 256}}) {
        const auto picture = read_bytes(field_of(c.rows, c.cols));
        EXPECT_EQ(picture.rows, c.picture_rows) << c.rows;
        EXPECT_EQ(picture.cols, c.picture_cols) << c.cols;
    }
    const auto picture = read_bytes(field_of(257, 3));
    EXPECT_DOUBLE_EQ(picture.at(0, 0), 0.5);
    EXPECT_DOUBLE_EQ(picture.at(128, 2), 256) << "the last one has one row only";
}

TEST(FieldPicture, RefusesOtherFiles) {
    auto cut = field_of(4, 4);
    cut.pop_back();
    auto negative = field_of(4, 4);
    negative[15] = '\x80';
    for (const std::string& bytes :
         {std::string(), std::string("DUCTHEAT"), std::string(99, 'x'), cut, negative})
        EXPECT_THROW(read_bytes(bytes), InputError);
}

TEST(FieldPicture, KnowsWhatTheFieldIsOf) {
    EXPECT_EQ(read_bytes(field_of(3, 2)).kind, FieldKind::temperature);
    EXPECT_EQ(read_bytes(field_of(3, 2, "DUCTADVE")).kind, FieldKind::advected);
    EXPECT_THROW(read_bytes(field_of(3, 2, "DUCTELSE")), InputError);
}

using Lines = std::vector<std::string>;

TEST(FieldPicture, InCharactersTheLargestValueIsTheDarkest) {
    EXPECT_EQ(field_in_characters(read_bytes(field_of(4, 2)), 80), (Lines{"  ", "**"}))
        << "rows 0 and 2 of 0 to 3";
    EXPECT_EQ(field_in_characters(read_bytes(field_of(1, 3)), 80), Lines{"   "})
        << "a field of one value";
    const auto small = field_in_characters(read_bytes(field_of(60, 60)), 20);
    ASSERT_EQ(small.size(), 10U);
    EXPECT_EQ(small.front(), std::string(20, ' '));
    EXPECT_EQ(small.back(), std::string(20, '%'));
}

TEST(FieldPicture, TheChartHasRowZeroOnTop) {
    const auto chart = field_chart(read_bytes(field_of(3, 2)));
    EXPECT_EQ(chart["layout"]["yaxis"]["range"], (nlohmann::json{3, 0}));
    EXPECT_EQ(chart["data"][0]["z"].size(), 3U);
}

}  // namespace
}  // namespace ductile::report::field_picture_test
