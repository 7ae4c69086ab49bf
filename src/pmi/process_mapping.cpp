#include "pmi/process_mapping.hpp"

#include <fmt/format.h>

#include <map>

#include "pmi/limits.hpp"

namespace ductile::pmi {
namespace {

struct Block {
    int first_node = 0;
    int nodes = 0;
    int ranks = 0;  // number of ranks on each node
};

/// Renumbers the nodes from 0. Joins neighbouring entries of one node, and omits entries without
/// ranks.
std::vector<RanksOnNode> renumbered(const std::vector<RanksOnNode>& nodes) {
    std::map<int, int> numbers;
    std::vector<RanksOnNode> runs;
    for (const auto& [node, ranks] : nodes) {
        if (ranks <= 0) continue;
        const int number =
            numbers.try_emplace(node, static_cast<int>(numbers.size())).first->second;
        if (!runs.empty() && runs.back().node == number)
            runs.back().ranks += ranks;
        else
            runs.push_back({number, ranks});
    }
    return runs;
}

std::vector<Block> blocks_of(const std::vector<RanksOnNode>& runs) {
    std::vector<Block> blocks;
    for (const auto& [node, ranks] : runs) {
        const bool continues = !blocks.empty() && blocks.back().ranks == ranks &&
                               blocks.back().first_node + blocks.back().nodes == node;
        if (continues)
            ++blocks.back().nodes;
        else
            blocks.push_back({node, 1, ranks});
    }
    return blocks;
}

}  // namespace

std::optional<std::string> process_mapping(const std::vector<RanksOnNode>& nodes) {
    const auto blocks = blocks_of(renumbered(nodes));
    if (blocks.empty()) return std::nullopt;
    std::string text = "(vector";
    for (const auto& block : blocks) {
        text += fmt::format(",({},{},{})", block.first_node, block.nodes, block.ranks);
        if (text.size() >= limits::mapping_bytes) return std::nullopt;
    }
    return text + ")";
}

}  // namespace ductile::pmi
