#include "rms/slurm_priorities.hpp"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>
#include <variant>

#include "core/overloaded.hpp"
#include "ductile/error.hpp"
#include "rms/slurm_commands.hpp"

namespace ductile::rms {

namespace {

bool says(const CommandResult& result, std::string_view text) {
    return result.err.find(text) != std::string::npos;
}

/// Whether Slurm has refused the command because the user has no right to it.
bool refuses(const CommandResult& result) {
    return says(result, "Access/permission denied") || says(result, "Invalid user id");
}

std::string error_of(const CommandResult& failed) {
    try {
        return output_of("scontrol", failed);
    } catch (const Error& error) {
        return error.what();
    }
}

/// How the nice value of the job is to be changed.
std::variant<NiceChange, IsFirst, NotRaised> change_for(policy::WaitingJobId job,
                                                        const CommandResult& listing) {
    try {
        const auto jobs = parse_priorities(first_lines_of("squeue", listing));
        if (std::ranges::find(jobs, job, &JobPriority::job) == jobs.end())
            return NotRaised{"it waits no more"};
        const auto change = raised_above(jobs, job);
        if (!change) return NotRaised{"Slurm has no higher one"};
        if (change->before == change->raised) return IsFirst{};
        return *change;
    } catch (const Error& error) {
        return NotRaised{error.what()};
    }
}

/// None if the job has ended. Throws SystemError if Slurm does not answer.
std::optional<std::int64_t> nice_of(const CommandResult& listing) {
    if (says(listing, "Invalid job id")) return std::nullopt;
    const auto jobs = parse_priorities(output_of("squeue", listing));
    return jobs.empty() ? std::nullopt : std::optional(jobs.front().nice);
}

}  // namespace

void SlurmPriorities::raise(policy::WaitingJobId job, OnRaised on_raised) {
    const auto now = std::chrono::steady_clock::now();
    if (refused_at_ && now - *refused_at_ < refused_for) return on_raised(NotRaised{});
    raising_.insert(job);
    const auto answer = [this, job, on_raised = std::move(on_raised)](const RaiseAnswer& raised) {
        if (raising_.erase(job) > 0) return on_raised(raised);
        put_back(job);
        on_raised(NotRaised{"it is no longer needed"});
    };
    client_.run(SlurmCommands::list_priorities(),
                [this, job, answer](const CommandResult& listing) {
                    std::visit(core::Overloaded{
                                   [&](const NiceChange& change) { set(job, change, answer); },
                                   // An earlier raise may not be put back yet: it counts.
                                   [&](const IsFirst&) {
                                       const auto known = raised_.find(job);
                                       if (known == raised_.end()) return answer(IsFirst{});
                                       known->second.state = State::raised;
                                       answer(Raised{});
                                   },
                                   [&](const NotRaised& stays) { answer(stays); },
                               },
                               change_for(job, listing));
                });
}

void SlurmPriorities::set(policy::WaitingJobId job, const NiceChange& change,
                          const OnRaised& on_raised) {
    if (!raising_.contains(job)) return on_raised(NotRaised{});
    // An earlier raise may not be put back yet. Then the value before that raise is kept.
    const auto [entry, is_new] = raised_.try_emplace(job, Nice{change});
    auto& nice = entry->second;
    nice.change.raised = change.raised;
    nice.state = State::raised;
    if (on_change_) on_change_(job, nice.change);
    client_.run(SlurmCommands::set_nice(job, change.raised),
                [this, job, is_new, wanted = change.raised, on_raised](const auto& result) {
                    if (result.succeeded()) return verify(job, wanted, on_raised);
                    const bool is_refused = refuses(result);
                    if (is_refused) refused_at_ = std::chrono::steady_clock::now();
                    if (is_refused && is_new)
                        forget(job);
                    else
                        is_over(job);  // Slurm may have raised it
                    on_raised(NotRaised{is_refused ? "Slurm refuses" : error_of(result)});
                });
}

// Slurm ignores the nice value of a job whose priority was set directly.
void SlurmPriorities::verify(policy::WaitingJobId job, std::int64_t wanted,
                             const OnRaised& on_raised) {
    client_.run(SlurmCommands::list_priority(job), [=, this](const CommandResult& listing) {
        RaiseAnswer answer = Raised{};
        try {
            const auto nice = nice_of(listing);
            if (nice && *nice != wanted) answer = NotRaised{"Slurm has not changed it"};
        } catch (const Error& error) {
            answer = NotRaised{error.what()};
        }
        if (!std::holds_alternative<Raised>(answer)) is_over(job);
        on_raised(answer);
    });
}

void SlurmPriorities::is_over(policy::WaitingJobId job) {
    if (const auto it = raised_.find(job); it != raised_.end()) it->second.state = State::over;
}

void SlurmPriorities::forget(policy::WaitingJobId job) {
    raised_.erase(job);
    if (on_change_) on_change_(job, std::nullopt);
}

void SlurmPriorities::put_back(policy::WaitingJobId job) {
    if (raising_.erase(job) > 0) return;  // the answer to the raise puts it back
    is_over(job);
    put_back_rest();
}

void SlurmPriorities::put_back_rest() {
    for (auto& [job, nice] : raised_) {
        if (nice.state != State::over) continue;
        nice.state = State::going_back;
        client_.run(
            SlurmCommands::list_priority(job),
            [this, job = job](const CommandResult& result) { on_own_priority(job, result); });
    }
}

SlurmPriorities::Nice* SlurmPriorities::going_back(policy::WaitingJobId job) {
    const auto it = raised_.find(job);
    return it == raised_.end() || it->second.state != State::going_back ? nullptr : &it->second;
}

// Somebody else may have changed the value meanwhile. Then it stays.
void SlurmPriorities::on_own_priority(policy::WaitingJobId job, const CommandResult& listing) {
    const auto* nice = going_back(job);
    if (nice == nullptr) return;
    const auto change = nice->change;
    try {
        if (nice_of(listing) != change.raised) return forget(job);
    } catch (const Error&) {
        return is_over(job);  // put_back_rest() tries again
    }
    client_.run(SlurmCommands::set_nice(job, change.before),
                [this, job](const CommandResult& result) {
                    if (going_back(job) == nullptr) return;
                    if (!result.succeeded() && !refuses(result)) return is_over(job);
                    forget(job);
                });
}

std::map<policy::WaitingJobId, SlurmClient::Words> SlurmPriorities::all_back() const {
    std::map<policy::WaitingJobId, SlurmClient::Words> commands;
    for (const auto& [job, nice] : raised_)
        commands.emplace(job, SlurmCommands::set_nice(job, nice.change.before));
    return commands;
}

}  // namespace ductile::rms
