// Matrix Market files: what is read, what is refused, and where.
#include "cg/matrix_market.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <sstream>

#include "cg/diffusion.hpp"

namespace cg::matrix_market_test {
namespace {

SparseMatrix read(const std::string& text) {
    std::istringstream in(text);
    return read_matrix_market(in, "m.mtx").matrix;
}

std::int64_t added(const std::string& text) {
    std::istringstream in(text);
    return read_matrix_market(in, "m.mtx").added;
}

std::string objection(const std::string& text) {
    try {
        static_cast<void>(read(text));
    } catch (const BadMatrix& error) {
        return error.what();
    }
    return "";
}

using Entries = std::vector<Entry>;
using Starts = std::vector<std::int64_t>;

const std::string symmetric = "%%MatrixMarket matrix coordinate real symmetric\n";
const std::string general = "%%MatrixMarket matrix coordinate real general\n";

TEST(MatrixMarket, OneTriangleStandsForBoth) {
    const auto matrix = read(symmetric + "% a comment\n\n3 3 4\n1 1 2\n3 1 -0.5\n2 2 1e3\n3 3 4\n");
    EXPECT_EQ(matrix.starts, (Starts{0, 2, 3, 5}));
    EXPECT_EQ(matrix.entries, (Entries{{0, 2}, {2, -0.5}, {1, 1000}, {0, -0.5}, {2, 4}}));
}

TEST(MatrixMarket, AGeneralOneHasToBeSymmetric) {
    const auto matrix = read(
        "%%MatrixMarket MATRIX Coordinate INTEGER General\r\n2 2 3\r\n2 1 7\r\n1 2 7\r\n1 1 1");
    EXPECT_EQ(matrix.starts, (Starts{0, 2, 3}));
    EXPECT_EQ(matrix.entries, (Entries{{0, 1}, {1, 7}, {0, 7}}));
    EXPECT_EQ(objection(general + "2 2 2\n1 2 7\n2 1 8\n"),
              "m.mtx: it is not symmetric: row 1, column 2");
    EXPECT_EQ(objection(general + "2 2 1\n2 1 8\n"), "m.mtx: it is not symmetric: row 2, column 1");
}

TEST(MatrixMarket, EntriesOfOnePlaceAreAdded) {
    EXPECT_EQ(read(symmetric + "1 1 3\n1 1 1\n1 1 2\n1 1 4\n").entries, (Entries{{0, 7}}));
    EXPECT_EQ(added(symmetric + "1 1 3\n1 1 1\n1 1 2\n1 1 4\n"), 2);
    const auto twice = symmetric + "2 2 3\n2 1 1\n2 1 2\n1 1 5\n";
    EXPECT_EQ(read(twice).entries, (Entries{{0, 5}, {1, 3}, {0, 3}}));
    EXPECT_EQ(added(twice), 1);
    EXPECT_EQ(added(general + "2 2 4\n2 1 1\n2 1 2\n1 2 1\n1 2 2\n"), 2);
    EXPECT_EQ(added(general + "2 2 2\n2 1 1\n1 2 1\n"), 0);
}

TEST(MatrixMarket, NumbersAsFortranWritesThem) {
    const std::pair<const char*, double> table[] = {
        {"+4.0", 4},    {"0.4D+01", 4},        {"4d0", 4},     {"+.5E-1", 0.05},
        {"-1.", -1},    {"1.5-101", 1.5e-101}, {"1.-5", 1e-5}, {"1e-400", 0},
        {"-1D-400", 0}, {"4.9e-324", 4.9e-324}};
    for (const auto& [text, value] : table) {
        const auto matrix = read(symmetric + "+1 1 +1\n+1 +1 " + text + "\n");
        EXPECT_EQ(matrix.entries, (Entries{{0, value}})) << text;
    }
}

TEST(MatrixMarket, ASymmetricFileHasEachEntryOnce) {
    // The two triangles may be mixed, as long as no entry is in both.
    EXPECT_EQ(read(symmetric + "3 3 2\n1 2 7\n3 1 8\n").entries,
              (Entries{{1, 7}, {2, 8}, {0, 7}, {0, 8}}));
    const auto why = [](int line, const char* place, int before) {
        return "m.mtx, line " + std::to_string(line) + ": " + place + " is in line " +
               std::to_string(before) +
               " of the other triangle already; a symmetric file has each entry once";
    };
    EXPECT_EQ(objection(symmetric + "2 2 3\n1 1 1\n2 1 7\n1 2 7\n"), why(5, "row 1, column 2", 4));
    EXPECT_EQ(objection(symmetric + "3 3 5\n3 1 7\n2 1 7\n% text\n2 1 7\n1 2 7\n1 3 7\n"),
              why(7, "row 1, column 2", 6));
}

TEST(MatrixMarket, RowsMayBeEmpty) {
    EXPECT_EQ(read(symmetric + "3 3 1\n2 2 1\n").starts, (Starts{0, 0, 1, 1}));
    EXPECT_EQ(read(symmetric + "2 2 0\n").starts, (Starts{0, 0, 0}));
}

TEST(MatrixMarket, WhatIsBadIsNamedWithItsLine) {
    const struct {
        std::string text, why;
    } table[] = {
        {"", "line 1: a Matrix Market file begins with %%MatrixMarket"},
        {"3 3 1\n", "line 1: a Matrix Market file begins with %%MatrixMarket"},
        {"%%MatrixMarket vector coordinate real general\n",
         "line 1: it says 'vector', and only 'matrix' can be read"},
        {"%%MatrixMarket matrix array real general\n",
         "line 1: it says 'array', and only 'coordinate' can be read"},
        {"%%MatrixMarket matrix coordinate complex general\n",
         "line 1: its values are 'complex', and only real and integer ones can be read"},
        {"%%MatrixMarket matrix coordinate real skew-symmetric\n",
         "line 1: it is 'skew-symmetric', and only symmetric and general ones can be read"},
        {"\x1f\x8b\x08text", "line 1: the file is compressed by gzip; unpack it first"},
        {"%MatrixMarket matrix coordinate real general\n",
         "line 1: it begins with one %; a Matrix Market file begins with %%MatrixMarket"},
        {"%%MatrixMarket matrix coordinate real general\r2 2 1\r1 1 1\r",
         "line 1: the lines of the file end in CR alone; make them end in LF: tr '\\r' '\\n'"},
        {symmetric + "2 2 1\n++2 1 1\n", "line 3: a row is '++2', not a number from 1 to 2"},
        {symmetric + "2 2 1\n+-2 1 1\n", "line 3: a row is '+-2', not a number from 1 to 2"},
        {symmetric + "2 2 1\n2 1 +-1\n", "line 3: a value is '+-1', not a finite number"},
        {symmetric + "2 2 1\n2 1 1D\n", "line 3: a value is '1D', not a finite number"},
        {symmetric + "2 2 1\n2 1 1d5d5\n", "line 3: a value is '1d5d5', not a finite number"},
        {symmetric + "2 2 1\n2 1 -1e999\n", "line 3: a value is '-1e999', not a finite number"},
        {symmetric, "line 2: the line with rows, columns and entries is missing"},
        {symmetric + "2 3 1\n", "line 2: it is not square"},
        {symmetric + "0 0 0\n",
         "line 2: the number of rows is '0', not a number from 1 to 2147483646"},
        {symmetric + "2 2\n",
         "line 2: the number of entries is '', not a number from 0 to 2147483646"},
        {symmetric + "99999999999999999999 1 1\n",
         "line 2: the number of rows is '99999999999999999999', not a number from 1 to 2147483646"},
        {symmetric + "2 2 1 1\n", "line 2: '1' is one word too many"},
        {symmetric + "2 2 1\n%\n3 1 1\n", "line 4: a row is '3', not a number from 1 to 2"},
        {symmetric + "2 2 1\n2 0 1\n", "line 3: a column is '0', not a number from 1 to 2"},
        {symmetric + "2 2 1\n2 1\n", "line 3: a value is '', not a finite number"},
        {symmetric + "2 2 1\n2 1 nan\n", "line 3: a value is 'nan', not a finite number"},
        {symmetric + "2 2 1\n2 1 1e999\n", "line 3: a value is '1e999', not a finite number"},
        {symmetric + "2 2 1\n2 1 1 0\n", "line 3: '0' is one word too many"},
        {symmetric + "2 2 2\n2 1 1\n", "line 4: the file ends after 1 of 2 entries"},
        {symmetric + "2 2 1\n2 1 1\n2 2 1\n", "line 4: there are more than the announced entries"},
    };
    for (const auto& row : table) EXPECT_EQ(objection(row.text), "m.mtx, " + row.why) << row.text;
    EXPECT_THROW((void)read_matrix_market("/no/such/file"), BadMatrix);
}

TEST(MatrixMarket, WhatIsWrittenIsReadBitForBit) {
    const auto matrix = diffusion(12);
    std::stringstream file;
    write_matrix_market(file, matrix);
    const auto again = read_matrix_market(file, "m.mtx").matrix;
    EXPECT_EQ(again.starts, matrix.starts);
    EXPECT_EQ(again.entries, matrix.entries);
}

RC_GTEST_PROP(MatrixMarketOfAnything, NoTextDoesHarm, (const std::string& rest)) {
    try {
        const auto matrix = read(symmetric + "3 3 2\n" + rest);
        RC_ASSERT(matrix.rows() == 3);
    } catch (const BadMatrix&) {
    }
}

}  // namespace
}  // namespace cg::matrix_market_test
