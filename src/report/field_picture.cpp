#include "report/field_picture.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "ductile/error.hpp"

namespace ductile::report {

namespace {

constexpr std::int64_t longest_side = std::int64_t{1} << 24;

// How many points of the grid, along one side, become one point of the picture.
std::int64_t points_each(std::int64_t side) {
    return (side + most_points - 1) / most_points;
}

int picture_side(std::int64_t side) {
    const auto each = points_each(side);
    return static_cast<int>((side + each - 1) / each);
}

FieldKind kind_of(const std::string& magic) {
    if (magic == "DUCTHEAT") return FieldKind::temperature;
    if (magic == "DUCTADVE") return FieldKind::advected;
    throw InputError("this is no field of `heat --field` or `mpdata --picture`");
}

}  // namespace

FieldPicture read_field(std::istream& file) {
    std::array<char, 8> magic{};
    std::array<std::int64_t, 3> numbers{};
    file.read(magic.data(), magic.size());
    file.read(reinterpret_cast<char*>(numbers.data()), sizeof numbers);
    FieldPicture picture;
    picture.kind = kind_of(file ? std::string(magic.data(), magic.size()) : "");
    if (numbers[0] < 1 || numbers[1] < 1 || numbers[0] > longest_side || numbers[1] > longest_side)
        throw InputError("the sides in the field's header are not from 1 to " +
                         std::to_string(longest_side));
    picture.grid_rows = numbers[0];
    picture.grid_cols = numbers[1];
    picture.step = numbers[2];
    picture.rows = picture_side(picture.grid_rows);
    picture.cols = picture_side(picture.grid_cols);
    const auto points =
        static_cast<std::size_t>(picture.rows) * static_cast<std::size_t>(picture.cols);
    std::vector<std::int64_t> counts(points);
    picture.values.resize(points);
    std::vector<double> row(static_cast<std::size_t>(picture.grid_cols));
    for (std::int64_t i = 0; i < picture.grid_rows; ++i) {
        file.read(reinterpret_cast<char*>(row.data()),
                  static_cast<std::streamsize>(row.size() * sizeof(double)));
        if (!file) throw InputError("the field is cut off after " + std::to_string(i) + " rows");
        for (std::int64_t j = 0; j < picture.grid_cols; ++j) {
            const auto point =
                static_cast<std::size_t>(i / points_each(picture.grid_rows) * picture.cols +
                                         j / points_each(picture.grid_cols));
            picture.values[point] += row[static_cast<std::size_t>(j)];
            ++counts[point];
        }
    }
    for (std::size_t i = 0; i < points; ++i) picture.values[i] /= static_cast<double>(counts[i]);
    return picture;
}

nlohmann::json field_chart(const FieldPicture& picture) {
    using Json = nlohmann::json;
    Json z = Json::array();
    for (int i = 0; i < picture.rows; ++i) {
        Json row = Json::array();
        // The values are rounded: the page is only for viewing, and shrinks to a third of its size.
        for (int j = 0; j < picture.cols; ++j)
            row.push_back(std::round(picture.at(i, j) * 1e3) / 1e3);
        z.push_back(std::move(row));
    }
    const bool is_advected = picture.kind == FieldKind::advected;
    const auto axis = [](const char* title, std::int64_t from, std::int64_t to) {
        return Json{{"title", {{"text", title}}},
                    {"range", Json::array({from, to})},
                    {"constrain", "domain"},
                    {"showgrid", false},
                    {"zeroline", false}};
    };
    const Json x = axis("column", 0, picture.grid_cols);
    Json y = axis("row", picture.grid_rows, 0);  // row 0 on top
    y["scaleanchor"] = "x";
    return {{"data",
             Json::array(
                 {{{"type", "heatmap"},
                   {"z", z},
                   {"dx", points_each(picture.grid_cols)},
                   {"dy", points_each(picture.grid_rows)},
                   {"x0", static_cast<double>(points_each(picture.grid_cols)) / 2},
                   {"y0", static_cast<double>(points_each(picture.grid_rows)) / 2},
                   {"colorscale", "Inferno"},
                   {"hovertemplate", "row %{y}, column %{x}: %{z}<extra></extra>"},
                   {"colorbar", {{"title", {{"text", is_advected ? "field" : "temperature"}}}}}}})},
            {"layout", {{"xaxis", x}, {"yaxis", y}}}};
}

std::vector<std::string> field_in_characters(const FieldPicture& picture, int most_columns) {
    constexpr std::string_view shades = " .:-=+*#%@";
    const int columns = std::min(most_columns, picture.cols);
    const int lines = std::max(1, picture.rows * columns / picture.cols / 2);
    const auto [least, most] = std::minmax_element(picture.values.begin(), picture.values.end());
    const double range = *most - *least;
    std::vector<std::string> text;
    for (int line = 0; line < lines; ++line) {
        text.emplace_back();
        for (int column = 0; column < columns; ++column) {
            const double value =
                picture.at(line * picture.rows / lines, column * picture.cols / columns);
            const double part = range > 0 ? (value - *least) / range : 0;
            text.back() += shades.at(static_cast<std::size_t>(std::lround(part * 9)));
        }
    }
    return text;
}

}  // namespace ductile::report
