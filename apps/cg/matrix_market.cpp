#include "cg/matrix_market.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <ostream>
#include <tuple>
#include <utility>

namespace cg {

namespace {

// MPI counts with int. The program also sends the starts of the rows, and there is one start more
// than rows.
constexpr std::int64_t most = (std::int64_t{1} << 31) - 2;

struct Placed {
    std::int64_t row = 0;
    Entry entry;
    std::int64_t line = 0;
};

// A number as C or Fortran write it. from_chars() takes neither a plus sign at the beginning, nor
// Fortran's exponents: 4.0D+01, and 4.0-101 without a letter if the exponent has three digits.
// nullopt: it is no finite number.
std::optional<double> parse_real(std::string text) {
    if (text.starts_with('+') && text.size() > 1 && text[1] != '-') text.erase(0, 1);
    if (const auto letter = text.find_first_of("dD"); letter != text.npos) text[letter] = 'e';
    const auto sign = text.find_first_of("+-", 1);
    if (sign != text.npos &&
        (std::isdigit(static_cast<unsigned char>(text[sign - 1])) != 0 || text[sign - 1] == '.'))
        text.insert(sign, 1, 'e');
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (end != text.data() + text.size()) return std::nullopt;
    // The number is too large or too small. from_chars() does not say which.
    if (error == std::errc::result_out_of_range)
        value = std::strtod(text.c_str(), nullptr);
    else if (error != std::errc())
        return std::nullopt;
    return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

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
        const bool has_plus = text.size() > 1 && text[0] == '+' && text[1] != '-';
        std::int64_t value = 0;
        const auto [end, error] =
            std::from_chars(text.data() + (has_plus ? 1 : 0), text.data() + text.size(), value);
        if (error != std::errc() || end != text.data() + text.size() || value < least ||
            value > largest)
            refuse(std::string(what) + " is '" + text + "', not a number from " +
                   std::to_string(least) + " to " + std::to_string(largest));
        return value;
    }
    double real(const char* what) {
        const auto text = word();
        const auto value = parse_real(text);
        if (!value) refuse(std::string(what) + " is '" + text + "', not a finite number");
        return *value;
    }
    [[nodiscard]] const std::string& text() const { return text_; }
    [[nodiscard]] std::int64_t line() const { return line_; }
    void expect_end_of_line() {
        if (const auto more = word(); !more.empty()) refuse("'" + more + "' is one word too many");
    }

  private:
    std::istream& in_;
    std::string name_, text_;
    std::int64_t line_ = 0;
    std::size_t at_ = 0;
};

// Files that people take for a Matrix Market file.
void refuse_known_others(const Reader& in) {
    const auto& text = in.text();
    if (text.starts_with("\x1f\x8b")) in.refuse("the file is compressed by gzip; unpack it first");
    if (text.starts_with("%MatrixMarket"))
        in.refuse("it begins with one %; a Matrix Market file begins with %%MatrixMarket");
    if (const auto end = text.find('\r'); end != text.npos && end + 1 < text.size())
        in.refuse("the lines of the file end in CR alone; make them end in LF: tr '\\r' '\\n'");
}

// Returns whether the file has each entry in one of the two triangles only.
bool read_banner(Reader& in) {
    const bool has_line = in.next_of_any_kind();
    if (has_line) refuse_known_others(in);
    if (!has_line || in.word() != "%%MatrixMarket")
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

// How many entries of different places a file of this matrix has.
std::int64_t entries_of_file(const SparseMatrix& matrix, bool has_one_triangle) {
    std::int64_t entries = 0;
    for (std::int64_t row = 0; row < matrix.rows(); ++row)
        for (const auto& entry : matrix.row(row))
            entries += !has_one_triangle || entry.column <= row ? 1 : 0;
    return entries;
}

// Entries with the same row and column are added up, in the order of their lines.
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

// Each value of a file is finite, but not each sum.
void expect_finite(const SparseMatrix& matrix, const std::string& name) {
    for (std::int64_t row = 0; row < matrix.rows(); ++row)
        for (const auto& [column, value] : matrix.row(row))
            if (!std::isfinite(value))
                throw BadMatrix(name + ": the entries of row " + std::to_string(row + 1) +
                                ", column " + std::to_string(column + 1) +
                                " add up to more than a double can hold");
}

// The entries of both triangles, from those of a file that should have each entry in one of them.
std::vector<Placed> mirrored(std::vector<Placed> placed, const std::string& name) {
    const auto row = [](const Placed& one) { return std::max(one.row, one.entry.column); };
    const auto column = [](const Placed& one) { return std::min(one.row, one.entry.column); };
    std::ranges::sort(placed, [&](const Placed& a, const Placed& b) {
        return std::tuple(row(a), column(a), a.line) < std::tuple(row(b), column(b), b.line);
    });
    std::optional<std::pair<Placed, Placed>> twice;  // in both triangles; the first such line
    for (std::size_t i = 1; i < placed.size(); ++i) {
        const auto &before = placed[i - 1], &one = placed[i];
        if (row(before) == row(one) && column(before) == column(one) && before.row != one.row &&
            (!twice || one.line < twice->second.line))
            twice = {before, one};
    }
    if (twice) {
        const auto& [before, one] = *twice;
        throw BadMatrix(name + ", line " + std::to_string(one.line) + ": row " +
                        std::to_string(one.row + 1) + ", column " +
                        std::to_string(one.entry.column + 1) + " is in line " +
                        std::to_string(before.line) +
                        " of the other triangle already; a symmetric file has each entry once");
    }
    const auto given = placed.size();
    for (std::size_t i = 0; i < given; ++i) {
        const auto& [from, entry, line] = placed[i];
        if (from != entry.column) placed.push_back({entry.column, {from, entry.value}, line});
    }
    return placed;
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

MatrixOfFile read_matrix_market(std::istream& file, const std::string& name) {
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
        placed.push_back({row, {column, value}, in.line()});
    }
    if (in.next()) in.refuse("there are more than the announced entries");
    if (has_one_triangle) placed = mirrored(std::move(placed), name);
    MatrixOfFile found{to_rows(rows, std::move(placed))};
    expect_finite(found.matrix, name);
    found.added = entries - entries_of_file(found.matrix, has_one_triangle);
    if (!has_one_triangle) expect_symmetry(found.matrix, name);
    return found;
}

MatrixOfFile read_matrix_market(const std::string& file) {
    std::ifstream in(file);
    if (!in) throw BadMatrix(file + ": it cannot be read");
    return read_matrix_market(in, file);
}

void write_matrix_market(std::ostream& out, const SparseMatrix& matrix) {
    const auto entries = entries_of_file(matrix, true);
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
