// A field of a grid as a picture of at most 256 x 256 points.
#pragma once

#include <cstdint>
#include <istream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace ductile::report {

/// What a field is of, by the program that wrote it.
enum class FieldKind {
    temperature,  ///< heat
    advected,     ///< mpdata
};

/// Averages over the rectangles into which the grid was cut.
struct FieldPicture {
    FieldKind kind = FieldKind::temperature;
    std::int64_t grid_rows = 0, grid_cols = 0, step = 0;
    int rows = 0, cols = 0;
    std::vector<double> values;  ///< row by row

    [[nodiscard]] double at(int row, int col) const {
        return values[static_cast<std::size_t>(row) * static_cast<std::size_t>(cols) +
                      static_cast<std::size_t>(col)];
    }
};

inline constexpr int most_points = 256;

/// Reads a field as `heat --field` or `mpdata --picture` writes it (apps/heat/field_file.hpp,
/// apps/mpdata/picture_file.hpp), a row at a time. A grid of
/// 1536 x 1000 points gives a picture of 256 x 250: 6 x 4 points each. Throws InputError when it is
/// no such file or is cut off.
FieldPicture read_field(std::istream& file);

/// A plotly heatmap.
nlohmann::json field_chart(const FieldPicture& picture);

/// The picture in characters, the larger a value the darker, at most so many in a line. A character
/// is twice as high as it is wide.
std::vector<std::string> field_in_characters(const FieldPicture& picture, int most_columns);

}  // namespace ductile::report
