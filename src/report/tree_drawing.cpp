#include "report/tree_drawing.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "core/counted.hpp"

namespace ductile::report {

namespace {

using sim::Stage;
using sim::StagedBuild;
using sim::StagedVertex;
using sim::StageKind;

std::vector<std::string> names(const std::vector<tree::ProcessId>& ids) {
    std::vector<std::string> all;
    for (const auto id : ids) all.push_back(std::to_string(id.value));
    return all;
}

std::string shrunk_caption(const Stage& stage) {
    std::vector<std::string> events;
    for (const auto& fill : stage.filled)
        events.push_back(fmt::format("{} fills hole {}", fill.filler.value, fill.hole.value));
    if (!stage.gone.empty())
        events.push_back(fmt::format("{} {} nobody below {}", fmt::join(names(stage.gone), ", "),
                                     stage.gone.size() == 1 ? "has" : "have",
                                     stage.gone.size() == 1 ? "it" : "them"));
    auto caption = fmt::format("Level {} has reported: {}", stage.level, fmt::join(events, "; "));
    std::vector<std::string> offers;
    for (const auto& offer : stage.offers)
        if (offer.leaves != std::vector{offer.by})  // every leaf offers itself
            offers.push_back(
                fmt::format("{} offers {}", offer.by.value, fmt::join(names(offer.leaves), " ")));
    if (!offers.empty()) caption += fmt::format(". Leaves offered: {}", fmt::join(offers, "; "));
    return caption;
}

// The text for a vertex on a terminal.
std::string in_text(const Stage& stage, const StagedVertex& vertex) {
    const auto id = vertex.id.value;
    auto text = vertex.member ? fmt::format("[{}]", id) : fmt::format("({})", id);
    if (vertex.size) text += fmt::format(" size {}", *vertex.size);
    if (vertex.rank) text += fmt::format(" rank {}", *vertex.rank);
    for (const auto& fill : stage.filled)
        if (fill.filler == vertex.id) text += fmt::format(" fills {}", fill.hole.value);
    return text;
}

std::string tree_in_text(const Stage& stage) {
    const auto& tree = stage.tree;
    // Whether a vertex is the last child of its parent: no vertex follows at its depth before one
    // that is higher in the tree.
    std::vector<bool> is_last(tree.size());
    std::vector<bool> seen;  // by depth: there is a later sibling
    for (std::size_t i = tree.size(); i-- > 0;) {
        const auto depth = static_cast<std::size_t>(tree[i].depth);
        seen.resize(std::max(seen.size(), depth + 1));
        is_last[i] = !seen[depth];
        seen[depth] = true;
        seen.resize(depth + 1);
    }
    std::string out;
    std::vector<bool> ended;  // by depth: the vertical line has ended
    for (std::size_t i = 0; i < tree.size(); ++i) {
        const auto depth = static_cast<std::size_t>(tree[i].depth);
        ended.resize(depth);
        ended.push_back(is_last[i]);
        for (std::size_t d = 1; d < depth; ++d) out += ended[d] ? "    " : "│   ";
        if (depth > 0) out += is_last[i] ? "└── " : "├── ";
        out += in_text(stage, tree[i]) + "\n";
    }
    return out;
}

std::string method_of(const StagedBuild& build) {
    std::string text{tree::to_string(build.method.algorithm)};
    if (build.method.algorithm != tree::Algorithm::centralized)
        text += fmt::format(", filler {}", tree::to_string(build.method.filler));
    return text + fmt::format(", k = {}", build.method.branching);
}

std::string dot_of(const Stage& stage, std::size_t number, const std::string& caption) {
    std::string body;
    std::vector<int> above;  // by depth: the vertex last seen there
    for (const auto& vertex : stage.tree) {
        const auto depth = static_cast<std::size_t>(vertex.depth);
        above.resize(depth);
        std::string label = std::to_string(vertex.id.value);
        if (vertex.size) label += fmt::format("\\nsize {}", *vertex.size);
        if (vertex.rank) label += fmt::format("\\nrank {}", *vertex.rank);
        body +=
            fmt::format("    s{}_{} [label=\"{}\"{}];\n", number, vertex.id.value, label,
                        vertex.member ? ", style=filled, fillcolor=\"#bcd9f0\"" : ", style=dashed");
        if (depth > 0)
            body +=
                fmt::format("    s{0}_{1} -> s{0}_{2};\n", number, above.back(), vertex.id.value);
        above.push_back(vertex.id.value);
    }
    return fmt::format("  subgraph cluster_{} {{\n    label=\"{}\";\n{}  }}\n", number, caption,
                       body);
}

}  // namespace

std::string caption_of(const StagedBuild& build, const Stage& stage) {
    switch (stage.kind) {
        case StageKind::original:
            return fmt::format("The parent group's tree ({}): {} of {} processes are members",
                               method_of(build), build.m, build.n);
        case StageKind::shrunk:
            return shrunk_caption(stage);
        case StageKind::counted:
            return "All have reported: the members at and below each process";
        case StageKind::ranked:
            return "The ranks, handed down where the upward pass left the members";
        case StageKind::built:
            break;
    }
    return fmt::format("The new group's tree, after {}", core::counted(build.messages, "message"));
}

std::string draw_text(const StagedBuild& build) {
    std::string out;
    for (const auto& stage : build.stages)
        out += fmt::format("{}{}\n{}", out.empty() ? "" : "\n", caption_of(build, stage),
                           tree_in_text(stage));
    return out;
}

std::string draw_dot(const StagedBuild& build) {
    std::string out =
        "digraph trees {\n  labeljust=l;\n  fontname=\"sans-serif\";\n"
        "  node [shape=circle, fontname=\"sans-serif\"];\n  edge [dir=none];\n";
    for (std::size_t i = 0; i < build.stages.size(); ++i)
        out += dot_of(build.stages[i], i, caption_of(build, build.stages[i]));
    return out + "}\n";
}

}  // namespace ductile::report
