// What the broker knows of each group that runs, member or not.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/layout.hpp"

namespace ductile::broker {

enum class GroupRole {
    newcomer,  ///< started, no member yet (at the job's start, too)
    member,
    leaver,  ///< has left at a shrink; its processes end
    undone,  ///< a newcomer whose resize was given up; it is killed
};

struct RankState {
    bool hello = false;
    bool goodbye = false;
    bool ended = false;
};

struct GroupState {
    core::Group group;
    GroupRole role = GroupRole::newcomer;
    std::vector<RankState> ranks;
    bool run_ended = false;

    [[nodiscard]] bool all_ended() const {
        for (const auto& rank : ranks)
            if (!rank.ended) return false;
        return true;
    }
};

/// Groups by id. Those that have ended are erased.
class GroupTable {
  public:
    void add(const core::Group& group) {
        GroupState state;
        state.group = group;
        state.ranks.resize(static_cast<std::size_t>(group.ranks));
        groups_[group.id] = std::move(state);
    }
    /// Null when there is no such group.
    GroupState* find(core::GroupId id) {
        const auto it = groups_.find(id);
        return it == groups_.end() ? nullptr : &it->second;
    }
    RankState* find(core::GroupId id, core::Rank rank) {
        auto* group = find(id);
        if (group == nullptr || rank.value < 0 || rank.value >= group->group.ranks) return nullptr;
        return &group->ranks[static_cast<std::size_t>(rank.value)];
    }
    void erase(core::GroupId id) { groups_.erase(id); }
    [[nodiscard]] const std::map<core::GroupId, GroupState>& all() const { return groups_; }
    [[nodiscard]] bool any_on(core::HostIndex host) const {
        for (const auto& [id, state] : groups_)
            if (state.group.host == host) return true;
        return false;
    }

  private:
    std::map<core::GroupId, GroupState> groups_;
};

}  // namespace ductile::broker
