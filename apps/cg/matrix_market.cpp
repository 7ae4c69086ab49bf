#include "cg/matrix_market.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <fstream>
#include <ostream>

namespace cg {

namespace {

// MPI counts with int. The program also sends the starts of the rows, and there is one start more
// than rows.
constexpr std::int64_t most = (std::int64_t{1} << 31) - 2;

struct Placed {
    std::int64_t row = 0;
    Entry entry;
};

class Reader {
  public:
    Reader(std::istream& in, std::string name) : in_(in), name_(std::move(name)) {}

    [[noreturn]] void refuse(const std::string& why) const {
        throw BadMatrix(name_ + ", line " + std::to_string(line_) + ": " + why);
    }

    /// The next line that is neither empty nor a comment; false at the end of the file.
    bool next() {
        while (next_of_any_kind())
            if (const auto first = text_.find_first_not_of(" \t\r");
                first != text_.npos && text_[first] != '%')
                return true;
        return false;
    }
    bool next_of_any_kind() {
        ++line_;
        at_ = 0;
        return static_cast<bool>(std::getline(in_, text_));
    }

    std::string word() {
        at_ = std::min(text_.find_first_not_of(" \t\r", at_), text_.size());
        const auto end = std::min(text_.find_first_of(" \t\r", at_), text_.size());
        auto found = text_.substr(at_, end - at_);
        at_ = end;
        return found;
    }
    std::string small_word() {
        auto found = word();
        std::ranges::transform(found, found.begin(),
                               [](unsigned char c) { return std::tolower(c); });
        return found;
    }
    std::int64_t number(const char* what, std::int64_t least, std::int64_t largest) {
        const auto text = word();
        std::int64_t value = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (error != std::errc() || end != text.data() + text.size() || value < least ||
            value > largest)
            refuse(std::string(what) + " is '" + text + "', not a number from " +
                   std::to_string(least) + " to " + std::to_string(largest));
        return value;
    }
    double real(const char* what) {
        const auto text = word();
        double value = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value))
            refuse(std::string(what) + " is '" + text + "', not a finite number");
        return value;
    }
    void expect_end_of_line() {
        if (const auto more = word(); !more.empty()) refuse("'" + more + "' is one word too many");
    }

  private:
    std::istream& in_;
    std::string name_, text_;
    std::int64_t line_ = 0;
    std::size_t at_ = 0;
};

// Returns whether the file has only one triangle of the matrix.
bool read_banner(Reader& in) {
    if (!in.next_of_any_kind() || in.word() != "%%MatrixMarket")
        in.refuse("a Matrix Market file begins with %%MatrixMarket");
    const std::array wanted{"matrix", "coordinate"};
    for (const std::string word : wanted)
        if (const auto found = in.small_word(); found != word)
            in.refuse("it says '" + found + "', and only '" + word + "' can be read");
    const auto field = in.small_word();
    if (field != "real" && field != "integer")
        in.refuse("its values are '" + field + "', and only real and integer ones can be read");
    const auto symmetry = in.small_word();
    if (symmetry != "symmetric" && symmetry != "general")
        in.refuse("it is '" + symmetry + "', and only symmetric and general ones can be read");
    return symmetry == "symmetric";
}

// Entries with the same row and column are added up.
SparseMatrix to_rows(std::int64_t rows, std::vector<Placed> placed) {
    std::ranges::stable_sort(placed, [](const Placed& a, const Placed& b) {
        return a.row != b.row ? a.row < b.row : a.entry.column < b.entry.column;
    });
    SparseMatrix matrix;
    auto next = placed.begin();
    for (std::int64_t row = 0; row < rows; ++row) {
        const auto begin = static_cast<std::size_t>(matrix.starts.back());
        for (; next != placed.end() && next->row == row; ++next) {
            auto& entries = matrix.entries;
            if (entries.size() > begin && entries.back().column == next->entry.column)
                entries.back().value += next->entry.value;
            else
                entries.push_back(next->entry);
        }
        matrix.starts.push_back(static_cast<std::int64_t>(matrix.entries.size()));
    }
    return matrix;
}

double value_at(const SparseMatrix& matrix, std::int64_t row, std::int64_t column) {
    const auto entries = matrix.row(row);
    const auto found = std::ranges::lower_bound(entries, column, {}, &Entry::column);
    return found != entries.end() && found->column == column ? found->value : 0;
}

void expect_symmetry(const SparseMatrix& matrix, const std::string& name) {
    for (std::int64_t row = 0; row < matrix.rows(); ++row)
        for (const auto& [column, value] : matrix.row(row))
            if (value_at(matrix, column, row) != value)
                throw BadMatrix(name + ": it is not symmetric: row " + std::to_string(row + 1) +
                                ", column " + std::to_string(column + 1));
}

}  // namespace

SparseMatrix read_matrix_market(std::istream& file, const std::string& name) {
    Reader in(file, name);
    const bool has_one_triangle = read_banner(in);
    if (!in.next()) in.refuse("the line with rows, columns and entries is missing");
    const auto rows = in.number("the number of rows", 1, most);
    if (in.number("the number of columns", 1, most) != rows) in.refuse("it is not square");
    const auto entries = in.number("the number of entries", 0, most);
    in.expect_end_of_line();
    std::vector<Placed> placed;
    for (std::int64_t i = 0; i < entries; ++i) {
        if (!in.next())
            in.refuse("the file ends after " + std::to_string(i) + " of " +
                      std::to_string(entries) + " entries");
        const auto row = in.number("a row", 1, rows) - 1;
        const auto column = in.number("a column", 1, rows) - 1;
        const double value = in.real("a value");
        in.expect_end_of_line();
        placed.push_back({row, {column, value}});
        if (has_one_triangle && row != column) placed.push_back({column, {row, value}});
    }
    if (in.next()) in.refuse("there are more than the announced entries");
    auto matrix = to_rows(rows, std::move(placed));
    if (!has_one_triangle) expect_symmetry(matrix, name);
    return matrix;
}

SparseMatrix read_matrix_market(const std::string& file) {
    std::ifstream in(file);
    if (!in) throw BadMatrix(file + ": it cannot be read");
    return read_matrix_market(in, file);
}

void write_matrix_market(std::ostream& out, const SparseMatrix& matrix) {
    std::int64_t entries = 0;
    for (std::int64_t row = 0; row < matrix.rows(); ++row)
        for (const auto& entry : matrix.row(row)) entries += entry.column <= row ? 1 : 0;
    out << "%%MatrixMarket matrix coordinate real symmetric\n"
        << matrix.rows() << ' ' << matrix.rows() << ' ' << entries << '\n';
    std::array<char, 32> text{};
    for (std::int64_t row = 0; row < matrix.rows(); ++row)
        for (const auto& [column, value] : matrix.row(row)) {
            if (column > row) continue;
            const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
            out << row + 1 << ' ' << column + 1 << ' ';
            out.write(text.data(), end - text.data()) << '\n';
        }
}

}  // namespace cg
