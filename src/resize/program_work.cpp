#include "resize/program_work.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace ductile::resize {

namespace {

constexpr std::size_t most_names = 8;

std::string list_of(std::vector<std::string> names) {
    if (names.empty()) return {};
    const char* ranks = names.size() == 1 ? "rank" : "ranks";
    const auto more = names.size() - std::min(names.size(), most_names);
    names.resize(names.size() - more);
    return fmt::format("{} {}{}", ranks, fmt::join(names, ", "),
                       more == 0 ? "" : fmt::format(" and {} more", more));
}

std::vector<core::RankRange> participants(const ResizePlan& plan) {
    auto all = plan.before.active;
    for (const auto& more : {plan.change().returning, core::Layout::of(plan.added).active})
        all.insert(all.end(), more.begin(), more.end());
    return all;
}

}  // namespace

std::string ProgramWork::who_prepares() const {
    std::vector<std::string> names;
    for (const auto& process : preparing_)
        if (!prepared_.contains(process)) names.push_back(core::to_string(process));
    return list_of(std::move(names));
}

std::string ProgramWork::who_has_not_moved(const ResizePlan& plan) const {
    std::vector<std::string> names;
    for (const auto& range : participants(plan))
        for (int i = 0; i < range.ranks; ++i) {
            const core::Process process{range.group, core::Rank{range.first.value + i}};
            if (!moved_.contains(process)) names.push_back(core::to_string(process));
        }
    return list_of(std::move(names));
}

}  // namespace ductile::resize
