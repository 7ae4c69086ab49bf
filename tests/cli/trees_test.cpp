// `ductile trees` as a user runs it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "cli/ductile_program.hpp"

namespace ductile::cli::trees_test {
namespace {

namespace fs = std::filesystem;

class Folder {
  public:
    Folder() {
        std::string name = (fs::temp_directory_path() / "ductile-trees-test-XXXXXX").string();
        path = mkdtemp(name.data());
    }
    ~Folder() {
        std::error_code ignored;
        fs::remove_all(path, ignored);
    }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;

    [[nodiscard]] std::string read(const std::string& name) const {
        std::ifstream file(path / name, std::ios::binary);
        return {std::istreambuf_iterator<char>(file), {}};
    }
    fs::path path;
};

rms::CommandResult trees(std::vector<std::string> words, const std::string& directory = "") {
    words.insert(words.begin(), "trees");
    return run_ductile(words, directory);
}

TEST(Trees, DrawsInEachFormat) {
    const auto text = trees({"draw", "--n", "10", "--members", "0,4,6-9", "--filler", "child"});
    EXPECT_EQ(text.code, 0) << text.err;
    EXPECT_NE(text.out.find("Level 1 has reported: 4 fills hole 1"), std::string::npos) << text.out;
    const auto dot = trees({"draw", "--n", "10", "--members", "1", "--format", "dot"});
    EXPECT_EQ(dot.out.rfind("digraph", 0), 0U);
    const auto svg = trees({"draw", "--fraction", "0.4", "--seed", "3", "--algorithm",
                            "shrink_and_balance", "--format", "svg"});
    EXPECT_EQ(svg.out.rfind("<svg ", 0), 0U);
    EXPECT_NE(svg.out.find("filler leaf"), std::string::npos) << "balance cannot leave holes";
    EXPECT_EQ(svg.out, trees({"draw", "--fraction", "0.4", "--seed", "3", "--algorithm",
                              "shrink_and_balance", "--format", "svg"})
                           .out);
}

TEST(Trees, RefusesBadInputByTheOptionsName) {
    const struct {
        std::vector<std::string> words;
        std::string option, value;
    } table[] = {
        {{"draw", "--n", "10", "--members", "0,10"}, "--members", "'10'"},
        {{"draw", "--members", "0,x"}, "--members", "'x'"},
        {{"draw", "--members", "5-3"}, "--members", "'5-3'"},
        {{"draw", "--members", "0,,1"}, "--members", "''"},
        {{"draw", "--members", "-1"}, "--members", ""},
        {{"draw"}, "--members", ""},
        {{"draw", "--members", "0", "--fraction", "0.5"}, "--fraction", ""},
        {{"draw", "--fraction", "1.5"}, "--fraction", "1.5"},
        {{"draw", "--fraction", "nan"}, "--fraction", "nan"},
        {{"draw", "--n", "0", "--members", "0"}, "--n", "0"},
        {{"draw", "--n", "4097", "--members", "0"}, "--n", "4097"},
        {{"draw", "--k", "1", "--members", "0"}, "--k", "1"},
        {{"draw", "--k", "65", "--members", "0"}, "--k", "65"},
        {{"draw", "--members", "0", "--algorithm", "fast"}, "--algorithm", "fast"},
        {{"draw", "--members", "0", "--filler", "any"}, "--filler", "any"},
        {{"draw", "--members", "0", "--algorithm", "shrink_and_balance", "--filler", "none"},
         "--filler",
         "none"},
        {{"draw", "--members", "0", "--algorithm", "centralized", "--filler", "leaf"},
         "--filler",
         "leaf"},
        {{"draw", "--members", "0", "--format", "png"}, "--format", "png"},
        {{"draw", "--fraction", "0.5", "--seed", "-1"}, "--seed", "-1"},
        {{"study", "--processes", "2047"}, "--processes", "2047"},
        {{"study", "--processes", "131073"}, "--processes", "131073"},
        {{"study", "--seed", "x"}, "--seed", "x"},
        {{"study", "--json", "/nowhere/at/all"}, "--json", "/nowhere/at/all"},
        {{"study", "--csv", "-", "--json", "-"}, "--csv", "'-'"},
        {{"study", "-o", "-"}, "--output", "'-'"},
    };
    for (const auto& row : table) {
        const auto result = trees(row.words);
        EXPECT_EQ(result.code, 2) << row.option << ": " << result.err;
        EXPECT_NE(result.err.find(row.option), std::string::npos) << result.err;
        EXPECT_NE(result.err.find(row.value), std::string::npos) << result.err;
        EXPECT_EQ(result.out, "");
    }
    EXPECT_EQ(trees({}).code, 2);
}

TEST(Trees, StudyWritesWhatIsAsked) {
    const Folder folder;
    const auto result =
        trees({"study", "--processes", "2048", "--json", "-", "--csv", "rows.csv", "--seed", "5"},
              folder.path);
    ASSERT_EQ(result.code, 0) << result.err;
    const auto json = nlohmann::json::parse(result.out);
    EXPECT_EQ(json["rows"].size(), 7U * 5);
    EXPECT_EQ(json["seed"], 5);
    EXPECT_EQ(json["branching"], 3);
    EXPECT_GT(json["costs"]["latency_us"], 0);
    const auto csv = folder.read("rows.csv");
    EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 1 + 7 * 5);
    EXPECT_FALSE(fs::exists(folder.path / "ductile-trees.html")) << "nobody asked for it";
    EXPECT_NE(result.err.find("simulating"), std::string::npos);
}

TEST(Trees, WhatCannotBeWrittenIsNoSuccess) {
    const auto full =
        run_ductile({"trees", "draw", "--n", "10", "--members", "1"}, "", "/dev/full");
    EXPECT_EQ(full.code, 1);
    EXPECT_NE(full.err.find("standard output"), std::string::npos) << full.err;
    const auto twice = trees({"study", "--json", "a.txt", "--csv", "a.txt"});
    EXPECT_EQ(twice.code, 2);
    EXPECT_NE(twice.err.find("the same file"), std::string::npos) << twice.err;
}

}  // namespace
}  // namespace ductile::cli::trees_test
