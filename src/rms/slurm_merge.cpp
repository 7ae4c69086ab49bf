#include "rms/slurm_merge.hpp"

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

#include "ductile/error.hpp"
#include "rms/slurm_output.hpp"

namespace ductile::rms {

namespace {

constexpr int most_tries = 5;
constexpr std::chrono::seconds between_tries{2};

/// The hosts of a job; none if scontrol does not show the job.
std::optional<std::vector<core::Host>> hosts_in(const CommandResult& shown) {
    try {
        return parse_shown_job(output_of("scontrol", shown)).hosts.hosts;
    } catch (const Error&) {
        return std::nullopt;
    }
}

}  // namespace

void SlurmMerge::merge(SlurmJob sidecar, OnEnd on_end) {
    client_.run(SlurmCommands::show(sidecar),
                [this, sidecar, on_end = std::move(on_end)](const CommandResult& shown) {
                    const auto hosts = hosts_in(shown);
                    if (!hosts || hosts->size() != 1) return on_end(NotReady{});
                    give_up(sidecar, hosts->front(), on_end);
                });
}

// If slurmctld has not answered, it may have carried the command out. Then the parent has the host.
void SlurmMerge::give_up(SlurmJob sidecar, const core::Host& host, const OnEnd& on_end) {
    client_.run(SlurmCommands::give_up_hosts(sidecar),
                [this, sidecar, host, on_end](const CommandResult& result) {
                    if (!result.succeeded() && is_answer(result))
                        return on_end(Refused{reason_of("scontrol", result)});
                    take(sidecar, host, on_end);
                });
}

void SlurmMerge::take(SlurmJob sidecar, const core::Host& host, const OnEnd& on_end) {
    client_.run(commands_.take_hosts(), [this, sidecar, host, on_end](const CommandResult&) {
        client_.run(SlurmCommands::cancel({sidecar}), [this, host, on_end](const CommandResult&) {
            check(host, most_tries, on_end);
        });
    });
}

void SlurmMerge::check(const core::Host& host, int tries, const OnEnd& on_end) {
    client_.run(commands_.show_parent(), [this, host, tries, on_end](const CommandResult& shown) {
        const auto hosts = hosts_in(shown);
        if (!hosts && tries > 1) return check_later(host, tries - 1, on_end);
        if (hosts && std::ranges::find(*hosts, host.name, &core::Host::name) != hosts->end())
            return on_end(Merged{host});
        on_end(Lost{hosts ? "Slurm does not show " + host.name + " in this job after the merge"
                          : "Slurm does not say whether this job has " + host.name});
    });
}

// A slurmctld that is restarting answers again within some seconds.
void SlurmMerge::check_later(const core::Host& host, int tries, const OnEnd& on_end) {
    const auto pause = pauses_.emplace(pauses_.end(), client_.io(), between_tries);
    pause->async_wait([this, pause, host, tries, on_end](const asio::error_code& failed) {
        if (failed) return;
        pauses_.erase(pause);
        check(host, tries, on_end);
    });
}

}  // namespace ductile::rms
