// A field of a grid as a picture of at most 256 x 256 points.
#pragma once

#include <cstdint>
#include <istream>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace ductile::report {

/// The content of a field, by the program that wrote it.
enum class FieldKind {
    temperature,  ///< heat
    advected,     ///< mpdata
};

/// The grid is cut into rectangles. The picture has the average value of each rectangle.
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

/// Reads a field from a file of `heat --field` or `mpdata --picture` (apps/heat/field_file.hpp,
/// apps/mpdata/picture_file.hpp), a row at a time. A grid of 1536 x 1000 points gives a picture of
/// 256 x 250: 6 x 4 points each. Throws InputError if the file holds no such field or is cut off.
FieldPicture read_field(std::istream& file);

/// A plotly heatmap.
nlohmann::json field_chart(const FieldPicture& picture);

/// The picture in characters, at most `most_columns` in a line. A larger value gives a denser
/// character. A character is twice as high as it is wide.
std::vector<std::string> field_in_characters(const FieldPicture& picture, int most_columns);

}  // namespace ductile::report
