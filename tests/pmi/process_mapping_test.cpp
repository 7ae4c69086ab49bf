#include "pmi/process_mapping.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <regex>

#include "pmi/limits.hpp"

namespace ductile::pmi::process_mapping_test {
namespace {

/// The machine of each of `size` ranks, as MPICH reads a mapping: block after block. If ranks are
/// left, MPICH continues at the first block that begins with machine 0, until all have a machine.
std::vector<int> read_as_mpich(const std::string& text, std::size_t size) {
    struct Block {
        int first, nodes, ranks;
    };
    std::vector<Block> blocks;
    static const std::regex block_text(R"(,\((\d+),(\d+),(\d+)\))");
    for (std::sregex_iterator it(text.begin(), text.end(), block_text), end; it != end; ++it)
        blocks.push_back({std::stoi((*it)[1]), std::stoi((*it)[2]), std::stoi((*it)[3])});
    std::vector<int> machines;
    for (bool wrapped = false;;) {
        std::size_t i = 0;
        while (wrapped && blocks.at(i).first != 0) ++i;
        for (; i < blocks.size(); ++i) {
            wrapped = wrapped || blocks[i].first == 0;
            for (int node = 0; node < blocks[i].nodes; ++node)
                for (int rank = 0; rank < blocks[i].ranks; ++rank) {
                    machines.push_back(blocks[i].first + node);
                    if (machines.size() == size) return machines;
                }
        }
    }
}

std::vector<int> by_hand(const std::vector<RanksOnNode>& nodes) {
    std::map<int, int> numbers;
    std::vector<int> machines;
    for (const auto& [node, ranks] : nodes) {
        if (ranks == 0) continue;
        const auto next = static_cast<int>(numbers.size());
        machines.insert(machines.end(), static_cast<std::size_t>(ranks),
                        numbers.try_emplace(node, next).first->second);
    }
    return machines;
}

TEST(ProcessMapping, Table) {
    const struct {
        std::vector<RanksOnNode> nodes;
        const char* text;
    } table[] = {
        {{{0, 1}}, "(vector,(0,1,1))"},
        {{{0, 1}, {1, 2}, {2, 3}}, "(vector,(0,1,1),(1,1,2),(2,1,3))"},
        {{{0, 4}, {1, 4}, {2, 4}}, "(vector,(0,3,4))"},
        {{{5, 1}, {7, 2}, {9, 2}, {5, 1}}, "(vector,(0,1,1),(1,2,2),(0,1,1))"},
        {{{0, 2}, {0, 3}}, "(vector,(0,1,5))"},
        {{{0, 1}, {1, 1}, {0, 1}, {1, 1}}, "(vector,(0,2,1),(0,2,1))"},
        {{{3, 2}, {4, 0}, {3, 1}}, "(vector,(0,1,3))"},
    };
    for (const auto& row : table) EXPECT_EQ(process_mapping(row.nodes), row.text);
}

TEST(ProcessMapping, IsLeftOutWhenItIsTooLong) {
    std::vector<RanksOnNode> nodes;
    EXPECT_EQ(process_mapping(nodes), std::nullopt);
    EXPECT_EQ(process_mapping({{0, 0}}), std::nullopt);
    for (int host = 0; host < 120; ++host) nodes.push_back({host, 1 + host % 2});
    EXPECT_EQ(process_mapping(nodes), std::nullopt);
    nodes.resize(50);
    ASSERT_TRUE(process_mapping(nodes));
    EXPECT_LE(process_mapping(nodes)->size(), limits::mapping_bytes);
    for (auto& node : nodes) node.ranks = 1 << 20;
    nodes.resize(120, {0, 1});
    for (int host = 0; host < 120; ++host) nodes[static_cast<std::size_t>(host)] = {host, 1 << 20};
    EXPECT_EQ(process_mapping(nodes), "(vector,(0,120,1048576))");
}

RC_GTEST_PROP(ProcessMapping, SaysTheTruth, ()) {
    const auto pairs = *rc::gen::container<std::vector<std::pair<int, int>>>(
        rc::gen::pair(rc::gen::inRange(0, 6), rc::gen::inRange(0, 4)));
    std::vector<RanksOnNode> nodes;
    for (const auto& [node, ranks] : pairs) nodes.push_back({node, ranks});
    const auto machines = by_hand(nodes);
    const auto text = process_mapping(nodes);
    if (!text) {
        RC_ASSERT(machines.empty() || nodes.size() > 50);
        return;
    }
    RC_ASSERT(text->size() <= limits::mapping_bytes);
    RC_ASSERT(read_as_mpich(*text, machines.size()) == machines);
}

}  // namespace
}  // namespace ductile::pmi::process_mapping_test
