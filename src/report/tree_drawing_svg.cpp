#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <vector>

#include "report/html.hpp"
#include "report/tree_drawing.hpp"

namespace ductile::report {

namespace {

using sim::Stage;
using sim::StagedBuild;
using sim::StagedVertex;

constexpr int column_width = 46, row_height = 58, radius = 13, margin = 24, line_height = 18,
              least_width = 720;
constexpr int letter = 7;  // about the width of a letter in a caption
constexpr double small_letter = 5.2;

struct Place {
    double x = 0;  ///< in columns
    int parent = -1;
};

/// Each leaf has its own column. Each other vertex is above the middle of its children.
std::vector<Place> places_of(const std::vector<StagedVertex>& tree) {
    std::vector<Place> places(tree.size());
    std::vector<int> above;  // by depth: the vertex last seen there
    double columns = 0;
    for (std::size_t i = 0; i < tree.size(); ++i) {
        above.resize(static_cast<std::size_t>(tree[i].depth));
        if (!above.empty()) places[i].parent = above.back();
        above.push_back(static_cast<int>(i));
        const bool is_leaf = i + 1 == tree.size() || tree[i + 1].depth <= tree[i].depth;
        if (is_leaf) places[i].x = columns++;
    }
    struct Span {
        double first = 0, last = -1;
    };
    std::vector<Span> below(tree.size());
    for (std::size_t i = tree.size(); i-- > 0;) {
        if (below[i].last >= 0) places[i].x = (below[i].first + below[i].last) / 2;
        if (places[i].parent < 0) continue;
        auto& span = below[static_cast<std::size_t>(places[i].parent)];
        if (span.last < 0) span.last = places[i].x;
        span.first = places[i].x;
    }
    return places;
}

std::vector<std::string> wrap(const std::string& text, std::size_t most) {
    std::vector<std::string> lines(1);
    std::istringstream words(text);
    for (std::string word; words >> word;) {
        if (!lines.back().empty() && lines.back().size() + 1 + word.size() > most)
            lines.emplace_back();
        lines.back() += (lines.back().empty() ? "" : " ") + word;
    }
    return lines;
}

int width_of(const StagedBuild& build) {
    int widest = 0;
    for (const auto& stage : build.stages) {
        double last = 0;
        for (const auto& place : places_of(stage.tree)) last = std::max(last, place.x);
        widest = std::max(widest, static_cast<int>(last * column_width));
    }
    return std::max(least_width, widest + 2 * (margin + radius));
}

std::string note_of(const StagedVertex& vertex) {
    if (vertex.size) return fmt::format("size {}", *vertex.size);
    return vertex.rank ? fmt::format("rank {}", *vertex.rank) : "";
}

std::string vertex_in_svg(const Stage& stage, const StagedVertex& vertex, double x, int y) {
    const bool moved =
        std::ranges::any_of(stage.filled, [&](auto& fill) { return fill.filler == vertex.id; });
    const char* kind = moved ? "moved" : vertex.member ? "member" : "hole";
    auto out = fmt::format(
        "<circle class=\"{}\" cx=\"{:.1f}\" cy=\"{}\" r=\"{}\"/>\n"
        "<text class=\"id{}\" x=\"{:.1f}\" y=\"{}\">{}</text>\n",
        kind, x, y, radius, vertex.member ? "" : " of-hole", x, y + 4, vertex.id.value);
    if (const auto note = note_of(vertex); !note.empty()) {
        const double width = small_letter * static_cast<double>(note.size());
        out += fmt::format(
            "<rect class=\"back\" x=\"{:.1f}\" y=\"{}\" width=\"{:.1f}\" height=\"10\"/>\n"
            "<text class=\"note\" x=\"{:.1f}\" y=\"{}\">{}</text>\n",
            x - width / 2, y + radius + 3, width, x, y + radius + 11, note);
    }
    return out;
}

/// Draws the stage from `y` down, and moves `y` to its end.
std::string stage_in_svg(const StagedBuild& build, const Stage& stage, int width, int& y) {
    std::string out;
    const auto most = static_cast<std::size_t>((width - 2 * margin) / letter);
    for (const auto& text : wrap(caption_of(build, stage), most)) {
        y += line_height;
        out += fmt::format("<text class=\"caption\" x=\"{}\" y=\"{}\">{}</text>\n", margin, y,
                           escape_html(text));
    }
    y += margin;
    const auto places = places_of(stage.tree);
    const auto x_of = [&](std::size_t i) { return margin + radius + places[i].x * column_width; };
    const auto y_of = [&](std::size_t i) { return y + stage.tree[i].depth * row_height; };
    int deepest = 0;
    for (std::size_t i = 0; i < places.size(); ++i) {
        deepest = std::max(deepest, stage.tree[i].depth);
        if (places[i].parent < 0) continue;
        const auto parent = static_cast<std::size_t>(places[i].parent);
        out += fmt::format("<line x1=\"{:.1f}\" y1=\"{}\" x2=\"{:.1f}\" y2=\"{}\"/>\n",
                           x_of(parent), y_of(parent), x_of(i), y_of(i));
    }
    for (std::size_t i = 0; i < places.size(); ++i)
        out += vertex_in_svg(stage, stage.tree[i], x_of(i), y_of(i));
    y += deepest * row_height + 2 * margin;
    return out;
}

constexpr const char* style =
    "text{font-family:sans-serif;fill:#1d2127}"
    ".caption{font-size:13px}"
    ".id{font-size:11px;text-anchor:middle;fill:#fff}"
    ".of-hole{fill:#5d6672}"
    ".note{font-size:9.5px;text-anchor:middle}"
    ".back{fill:#fff}"
    "line{stroke:#8a8f98}"
    ".member{fill:#2f6f9f}"
    ".moved{fill:#c4561c}"
    ".hole{fill:#fff;stroke:#8a8f98;stroke-dasharray:3 2}";

}  // namespace

std::string draw_svg(const StagedBuild& build) {
    const int width = width_of(build);
    int y = 0;
    std::string body;
    for (const auto& stage : build.stages) body += stage_in_svg(build, stage, width, y);
    return fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" "
        "viewBox=\"0 0 {0} {1}\">\n<style>{2}</style>\n"
        "<rect width=\"{0}\" height=\"{1}\" fill=\"#fff\"/>\n{3}</svg>\n",
        width, y, style, body);
}

}  // namespace ductile::report
