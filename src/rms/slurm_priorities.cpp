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
    if (is_refused_) return on_raised(NotRaised{});
    client_.run(SlurmCommands::list_priorities(),
                [this, job, on_raised = std::move(on_raised)](const CommandResult& listing) {
                    std::visit(core::Overloaded{
                                   [&](const NiceChange& change) { set(job, change, on_raised); },
                                   [&](const auto& answer) { on_raised(answer); },
                               },
                               change_for(job, listing));
                });
}

void SlurmPriorities::set(policy::WaitingJobId job, const NiceChange& change,
                          const OnRaised& on_raised) {
    // An earlier raise may not be put back yet. Then the value before that raise is kept.
    auto& nice = raised_.try_emplace(job, Nice{change}).first->second;
    nice.change.raised = change.raised;
    nice.state = State::raised;
    if (on_change_) on_change_(job, nice.change);
    client_.run(SlurmCommands::set_nice(job, change.raised),
                [this, job, wanted = change.raised, on_raised](const CommandResult& result) {
                    if (result.succeeded()) return verify(job, wanted, on_raised);
                    is_refused_ = refuses(result);
                    if (is_refused_)
                        forget(job);
                    else
                        is_over(job);  // Slurm may have raised it
                    on_raised(NotRaised{is_refused_ ? "Slurm refuses" : error_of(result)});
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

std::vector<SlurmClient::Words> SlurmPriorities::all_back() const {
    std::vector<SlurmClient::Words> commands;
    for (const auto& [job, nice] : raised_)
        commands.push_back(SlurmCommands::set_nice(job, nice.change.before));
    return commands;
}

}  // namespace ductile::rms
