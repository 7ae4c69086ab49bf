#include "broker/process_ends.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/contract.hpp"

namespace ductile::broker {

RankEnd rank_end(const wire::RankEnded& ended, const GroupState& state, const GroupContext& job,
                 const mpi::Capabilities& mpi) {
    DUCTILE_EXPECT(0 <= ended.rank.value && ended.rank.value < state.group.ranks);
    const core::Process process{ended.group, ended.rank};
    RankEnd end;
    end.who = fmt::format("rank {} on {}", core::to_string(process),
                          job.hosts.allocation.at(state.group.host_of(ended.rank)).name);
    end.code = ended.signal != 0 ? 128 + ended.signal : ended.code;
    end.signal = ended.signal;
    end.hello = ended.hello, end.goodbye = ended.goodbye, end.why = ended.why;
    end.left = state.role == GroupRole::member && !job.ledger.layout().holds(process);
    const auto& rank = state.ranks.at(static_cast<std::size_t>(ended.rank.value));
    end.gives_data = end.left && rank.gives_data;
    end.under_launcher = !mpi.agents_start_ranks &&
                         (state.group.spans_hosts() || state.launcher_group != ended.group);
    if (job.open != nullptr && job.open->lost()) end.lost_before = job.open->lost()->why;
    return end;
}

bool runs_launcher_on(core::HostIndex host, const GroupState& state, const mpi::Capabilities& mpi) {
    return !mpi.agents_start_ranks && state.launcher_group == state.group.id &&
           state.group.host == host;
}

PartEnd part_end(const wire::RunEnded& ended, core::HostIndex host, const GroupState& state,
                 const GroupContext& job, const mpi::Capabilities& mpi) {
    const bool launcher = runs_launcher_on(host, state, mpi);
    PartEnd end;
    end.what = fmt::format("the {} of group g{} on {}",
                           mpi.agents_start_ranks ? "part"
                           : launcher             ? "launcher run"
                                                  : "launcher's proxy",
                           ended.group.value, job.hosts.allocation.at(host).name);
    end.code = ended.code, end.signal = ended.signal, end.text = ended.text;
    end.needed = needs_host(state, host, job.ledger.layout());
    end.complete = launcher ? state.all_ended() : state.all_ended_on(host);
    end.under_launcher = !mpi.agents_start_ranks &&
                         (state.launcher_group != ended.group || state.group.spans_hosts());
    return end;
}

bool needs_host(const GroupState& state, core::HostIndex host, const core::Layout& layout) {
    if (state.role == GroupRole::newcomer || state.role == GroupRole::child) return true;
    const auto is_there = [&](const core::RankRange& range) {
        return range.group == state.group.id && range.host == host;
    };
    if (state.role == GroupRole::member && state.gives_data_on(host)) return true;
    return state.role == GroupRole::member && (std::ranges::any_of(layout.active, is_there) ||
                                               std::ranges::any_of(layout.parked, is_there));
}

}  // namespace ductile::broker
