// A table of text.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace ductile::plan {

enum class Align { left, right };

/// Rows of text under a heading, each column as wide as its widest cell.
class Table {
  public:
    struct Column {
        std::string name;
        Align align = Align::left;
    };
    explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

    void add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }

    [[nodiscard]] std::string text() const {
        std::vector<std::string> heading;
        for (const auto& column : columns_) heading.push_back(column.name);
        std::string out = line(heading);
        for (const auto& row : rows_) out += line(row);
        return out;
    }

  private:
    [[nodiscard]] std::size_t width(std::size_t column) const {
        auto widest = columns_[column].name.size();
        for (const auto& row : rows_) widest = std::max(widest, row[column].size());
        return widest;
    }

    [[nodiscard]] std::string line(const std::vector<std::string>& cells) const {
        std::string out;
        for (std::size_t at = 0; at < cells.size(); ++at)
            out += columns_[at].align == Align::right
                       ? fmt::format("{}{:>{}}", at > 0 ? "  " : "", cells[at], width(at))
                       : fmt::format("{}{:<{}}", at > 0 ? "  " : "", cells[at], width(at));
        out.erase(out.find_last_not_of(' ') + 1);
        return out + "\n";
    }

    std::vector<Column> columns_;
    std::vector<std::vector<std::string>> rows_;
};

}  // namespace ductile::plan
