#include "mpdata/input.hpp"

#include <toml++/toml.h>

#include <algorithm>
#include <fstream>
#include <initializer_list>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string_view>

namespace mpdata {

namespace {

// A table of the file. Every message begins with the place: "sphere.toml: grid.cells: ...".
class Section {
  public:
    Section(const toml::table& file, std::string path, std::string name,
            std::initializer_list<std::string_view> keys)
        : path_(std::move(path)), name_(std::move(name)) {
        const toml::node* node = file.get(name_);
        if (node == nullptr) fail("", "is missing");
        table_ = node->as_table();
        if (table_ == nullptr) fail("", "is not a table");
        for (const auto& [key, value] : *table_)
            if (std::find(keys.begin(), keys.end(), key.str()) == keys.end())
                fail(key.str(), "is not known");
    }

    [[noreturn]] void fail(std::string_view key, const std::string& why) const {
        std::string where = name_;
        if (!key.empty()) where += "." + std::string(key);
        throw std::runtime_error(path_ + ": " + where + ": " + why);
    }
    [[nodiscard]] const toml::node* find(std::string_view key) const { return table_->get(key); }
    [[nodiscard]] std::int64_t whole_number(std::string_view key, const toml::node* node,
                                            std::int64_t least, std::int64_t most) const {
        const auto value =
            node == nullptr ? std::optional<std::int64_t>{} : node->value_exact<std::int64_t>();
        if (!value || *value < least || *value > most)
            fail(key, "must be a whole number from " + std::to_string(least) + " to " +
                          std::to_string(most));
        return *value;
    }
    [[nodiscard]] std::string text(std::string_view key, const toml::node* node) const {
        const auto value =
            node == nullptr ? std::optional<std::string>{} : node->value_exact<std::string>();
        if (!value) fail(key, "must be a string");
        return *value;
    }
    [[nodiscard]] bool yes_or_no(std::string_view key) const {
        const toml::node* node = find(key);
        if (node == nullptr) return false;
        const auto value = node->value_exact<bool>();
        if (!value) fail(key, "must be true or false");
        return *value;
    }
    // The elements of a list of three.
    [[nodiscard]] const toml::array& three(std::string_view key) const {
        const toml::node* node = find(key);
        const toml::array* list = node == nullptr ? nullptr : node->as_array();
        if (list == nullptr || list->size() != 3) fail(key, "must be a list of three");
        return *list;
    }

  private:
    std::string path_;
    std::string name_;
    const toml::table* table_ = nullptr;
};

Boundary boundary_of(const Section& grid, const toml::node* node) {
    const std::string word = grid.text("boundary", node);
    if (word == "open") return Boundary::open;
    if (word == "periodic") return Boundary::periodic;
    grid.fail("boundary", "'" + word + "' is neither open nor periodic");
}

Grid grid_of(const Section& section) {
    constexpr std::int64_t most_cells = std::int64_t{1} << 30;
    Grid grid;
    for (std::size_t d = 0; d < 3; ++d) {
        grid.cells[d] = section.whole_number("cells", section.three("cells").get(d), 1, most_cells);
        if (section.find("boundary") != nullptr)
            grid.boundary[d] = boundary_of(section, section.three("boundary").get(d));
    }
    // A plane is one MPI element, whose size is an int.
    if ((grid.cells[1] + 1) * (grid.cells[2] + 1) >= std::int64_t{1} << 31)
        section.fail("cells", "a plane has 2^31 faces or more");
    return grid;
}

Scheme scheme_of(const Section& section) {
    Scheme scheme;
    if (const toml::node* passes = section.find("passes"))
        scheme.passes = static_cast<int>(section.whole_number("passes", passes, 1, 8));
    scheme.non_oscillatory = section.yes_or_no("non_oscillatory");
    scheme.infinite_gauge = section.yes_or_no("infinite_gauge");
    try {
        check(scheme);
    } catch (const std::invalid_argument& error) {
        section.fail("passes", error.what());
    }
    return scheme;
}

}  // namespace

Input parse_input(const std::string& text, const std::string& path) {
    toml::table file;
    try {
        file = toml::parse(text, path);
    } catch (const toml::parse_error& error) {
        throw std::runtime_error(path + ":" + std::to_string(error.source().begin.line) + ": " +
                                 std::string(error.description()));
    }
    for (const auto& [key, value] : file)
        if (key != "grid" && key != "scheme" && key != "run")
            throw std::runtime_error(path + ": " + std::string(key.str()) + ": is not known");
    const Section grid(file, path, "grid", {"cells", "boundary"});
    const Section scheme(file, path, "scheme", {"passes", "non_oscillatory", "infinite_gauge"});
    const Section run(file, path, "run", {"problem", "steps"});
    return {grid_of(grid), scheme_of(scheme), run.text("problem", run.find("problem")),
            run.whole_number("steps", run.find("steps"), 0, std::int64_t{1} << 60)};
}

Input read_input(const std::string& path) {
    std::ifstream file(path);
    std::ostringstream text;
    text << file.rdbuf();
    if (!file) throw std::runtime_error(path + ": cannot be read");
    return parse_input(text.str(), path);
}

}  // namespace mpdata
