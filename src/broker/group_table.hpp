// What the broker knows of each group that runs, whether its ranks are members or not.
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "core/layout.hpp"

namespace ductile::broker {

enum class GroupRole {
    newcomer,  ///< started, not a member yet (also at the start of the job)
    member,
    child,   ///< started by the program itself (MPI_Comm_spawn); no part of the layout
    undone,  ///< its resize or its MPI_Comm_spawn was given up; it is killed
};

struct RankState {
    bool hello = false;
    bool goodbye = false;
    bool gives_data = false;  ///< the rank has left, and members wait for its data
    bool ended = false;
    /// Its number on its host: no other process of the job that lives there has it, except that of
    /// a process that replaces it. None: it is not known yet, or a launcher starts the ranks.
    std::optional<int> local_rank = std::nullopt;
};

/// What a rank or its agent has reported.
enum class RankEvent { hello, gives_data, has_given_data, goodbye, ended };

struct GroupState {
    core::Group group;
    /// The group whose launcher run (mpiexec) started this group. It is this group itself, unless
    /// ranks under an mpiexec started this group.
    core::GroupId launcher_group;
    GroupRole role = GroupRole::newcomer;
    core::Process parent{};  ///< of a child: the process that called MPI_Comm_spawn
    std::vector<RankState> ranks;
    std::set<core::HostIndex> over_on;  ///< hosts where no process of the group is left

    [[nodiscard]] bool all_ended() const {
        return std::all_of(ranks.begin(), ranks.end(),
                           [](const RankState& rank) { return rank.ended; });
    }
    /// Whether all ranks of the group on this host have ended.
    [[nodiscard]] bool all_ended_on(core::HostIndex host) const { return living_on(host) == 0; }
    /// The number of ranks of the group on this host that have not ended.
    [[nodiscard]] int living_on(core::HostIndex host) const {
        int living = 0;
        for (std::size_t i = 0; i < ranks.size(); ++i)
            if (!ranks[i].ended && group.host_of(core::Rank{static_cast<int>(i)}) == host) ++living;
        return living;
    }
    /// Whether members wait for data of a rank on this host that has left.
    [[nodiscard]] bool gives_data_on(core::HostIndex host) const {
        for (std::size_t i = 0; i < ranks.size(); ++i)
            if (ranks[i].gives_data && group.host_of(core::Rank{static_cast<int>(i)}) == host)
                return true;
        return false;
    }
    /// Whether processes of the group are on this host, as far as the broker knows.
    [[nodiscard]] bool is_on(core::HostIndex host) const {
        return group.ranks_on(host) > 0 && !over_on.contains(host);
    }
    [[nodiscard]] bool is_over() const {
        const auto shares = group.shares();
        return std::all_of(shares.begin(), shares.end(),
                           [this](const auto& share) { return over_on.contains(share.host); });
    }
};

/// Groups by id. Groups that have ended are erased.
class GroupTable {
  public:
    GroupState& add(const core::Group& group) {
        GroupState state;
        state.group = group;
        state.launcher_group = group.id;
        state.ranks.resize(static_cast<std::size_t>(group.ranks));
        return groups_[group.id] = std::move(state);
    }
    /// Null if there is no such group.
    GroupState* find(core::GroupId id) {
        const auto it = groups_.find(id);
        return it == groups_.end() ? nullptr : &it->second;
    }
    [[nodiscard]] const GroupState* find(core::GroupId id) const {
        const auto it = groups_.find(id);
        return it == groups_.end() ? nullptr : &it->second;
    }
    /// Null if there is no such rank, or if its group is over.
    [[nodiscard]] const RankState* find(const core::Process& process) const {
        const auto* group = find(process.group);
        const int rank = process.rank.value;
        if (group == nullptr || rank < 0 || rank >= group->group.ranks) return nullptr;
        return &group->ranks[static_cast<std::size_t>(rank)];
    }
    RankState* find(const core::Process& process) {
        return const_cast<RankState*>(std::as_const(*this).find(process));
    }
    void erase(core::GroupId id) { groups_.erase(id); }
    [[nodiscard]] const std::map<core::GroupId, GroupState>& all() const { return groups_; }
    std::map<core::GroupId, GroupState>& all() { return groups_; }
    /// Whether each of these ranks has ended its Job, or has ended.
    [[nodiscard]] bool are_done(const std::vector<core::RankRange>& ranges) const {
        const auto is_done = [](const RankState& rank) { return rank.goodbye || rank.ended; };
        return std::ranges::all_of(ranges, [&](const core::RankRange& range) {
            return std::ranges::all_of(ranks_of(range), is_done);
        });
    }
    [[nodiscard]] bool any_goodbye(const std::vector<core::RankRange>& ranges) const {
        return std::ranges::any_of(ranges, [&](const core::RankRange& range) {
            return std::ranges::any_of(ranks_of(range), &RankState::goodbye);
        });
    }
    /// Whether any rank on this host has not ended.
    [[nodiscard]] bool any_rank_on(core::HostIndex host) const {
        for (const auto& [id, state] : groups_)
            if (state.is_on(host) && !state.all_ended_on(host)) return true;
        return false;
    }
    [[nodiscard]] bool has_children_on(core::HostIndex host) const {
        return std::ranges::any_of(groups_, [host](const auto& one) {
            return one.second.role == GroupRole::child && one.second.is_on(host);
        });
    }
    [[nodiscard]] bool any_on(core::HostIndex host) const {
        for (const auto& [id, state] : groups_)
            if (state.is_on(host)) return true;
        return false;
    }

  private:
    /// Empty if the group is over.
    [[nodiscard]] std::span<const RankState> ranks_of(const core::RankRange& range) const {
        const auto* group = find(range.group);
        if (group == nullptr) return {};
        const auto first =
            std::min(static_cast<std::size_t>(range.first.value), group->ranks.size());
        const auto count =
            std::min(static_cast<std::size_t>(range.ranks), group->ranks.size() - first);
        return std::span(group->ranks).subspan(first, count);
    }

    std::map<core::GroupId, GroupState> groups_;
};

}  // namespace ductile::broker
