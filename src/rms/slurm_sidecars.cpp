#include "rms/slurm_sidecars.hpp"

#include <algorithm>
#include <utility>

#include "core/overloaded.hpp"
#include "ductile/error.hpp"
#include "rms/slurm_hostlist.hpp"

namespace ductile::rms {

namespace {

using core::Overloaded;

std::optional<SlurmJob> job_in(const sidecar::State& state) {
    return std::visit(
        Overloaded{[](const sidecar::Submitting&) { return std::optional<SlurmJob>(); },
                   [](const auto& other) { return std::optional(other.job); }},
        state);
}

std::optional<RequestId> request_in(const sidecar::State& state) {
    if (const auto* submitting = std::get_if<sidecar::Submitting>(&state))
        return submitting->wanted_by;
    if (const auto* waiting = std::get_if<sidecar::Waiting>(&state)) return waiting->wanted_by;
    return std::nullopt;
}

std::string slurm_name(SlurmJob job) {
    return "Slurm job " + std::to_string(job.value);
}

std::string how_it_is(const ListedJob* row) {
    if (row == nullptr) return "is not known to Slurm any more";
    const bool has_reason = !row->reason.empty() && row->reason != "None";
    return "is " + row->state + (has_reason ? " (" + row->reason + ")" : "");
}

/// Throws InputError if the row has not exactly one host.
std::string only_host_of(const ListedJob& row) {
    auto hosts = expand_hostlist(row.hosts);
    if (hosts.size() != 1)
        throw InputError("it has " + std::to_string(hosts.size()) + " hosts, not 1");
    return std::move(hosts.front());
}

/// Whether sbatch refused the job because only operators may raise a priority.
bool is_priority_refused(std::string_view why) {
    return why.find("--nice") != std::string_view::npos;
}

/// Whether Slurm has looked for a host and found none. Before that, Slurm gives no reason.
bool has_no_host_now(const ListedJob& row) {
    return row.state == "PENDING" && !row.reason.empty() && row.reason != "None";
}

}  // namespace

SlurmSidecars::SlurmSidecars(const ShownJob& parent, const core::Allocation& held,
                             const ParentRules& rules)
    : parent_(parent, held, rules) {
    for (const auto& host : held.hosts)
        if (!parent_.has(host.name)) held_.push_back(host.name);
}

// ---- from the job ----

SidecarEffects SlurmSidecars::request(RequestId id, const HostRequest& request) {
    SidecarEffects effects;
    if (!requests_.try_emplace(id).second) return effects;
    auto own = parent_.take(request);
    const int missing = request.hosts - static_cast<int>(own.size());
    for (int i = 0; i < missing; ++i) {
        const SidecarId sidecar{next_++};
        const bool is_first = request.before_waiting_jobs && may_go_before_others_;
        sidecars_.emplace(sidecar, sidecar::Submitting{id, request.constraints, is_first});
        effects.emplace_back(SubmitSidecar{sidecar, request.constraints, is_first});
    }
    if (missing <= 0 || !own.empty()) settle(id, std::move(own), effects);
    return effects;
}

SidecarEffects SlurmSidecars::cancel(RequestId id) {
    SidecarEffects effects;
    for (auto& [sidecar, state] : sidecars_) {
        if (request_in(state) != id) continue;
        if (auto* submitting = std::get_if<sidecar::Submitting>(&state))
            submitting->wanted_by.reset();
        else
            drop(sidecar, *job_in(state), effects);
    }
    requests_.erase(id);
    effects.emplace_back(TellJob{Denied{id, "cancelled"}});
    return effects;
}

SidecarEffects SlurmSidecars::release(const std::string& host) {
    SidecarEffects effects;
    std::erase(held_, host);
    for (auto& text : parent_.release(host)) effects.emplace_back(TellUser{std::move(text)});
    for (auto it = sidecars_.begin(); it != sidecars_.end();) {
        const auto [id, state] = *it++;
        if (const auto* used = std::get_if<sidecar::InUse>(&state); used && used->host == host)
            drop(id, used->job, effects);
        if (const auto* ended = std::get_if<sidecar::Ended>(&state); ended && ended->host == host)
            sidecars_.erase(id);
    }
    return effects;
}

// ---- from Slurm ----

SidecarEffects SlurmSidecars::submitted(SidecarId sidecar, SlurmJob job) {
    SidecarEffects effects;
    const auto it = sidecars_.find(sidecar);
    const auto* submitting =
        it == sidecars_.end() ? nullptr : std::get_if<sidecar::Submitting>(&it->second);
    if (submitting == nullptr) return effects;
    if (const auto wanted_by = submitting->wanted_by)
        it->second = sidecar::Waiting{job, *wanted_by, submitting->before_waiting_jobs};
    else
        drop(sidecar, job, effects);
    return effects;
}

SidecarEffects SlurmSidecars::not_submitted(SidecarId sidecar, const std::string& why) {
    SidecarEffects effects;
    const auto it = sidecars_.find(sidecar);
    auto* submitting =
        it == sidecars_.end() ? nullptr : std::get_if<sidecar::Submitting>(&it->second);
    if (submitting == nullptr) return effects;
    if (submitting->wanted_by && submitting->before_waiting_jobs && is_priority_refused(why)) {
        may_go_before_others_ = submitting->before_waiting_jobs = false;
        effects.emplace_back(SubmitSidecar{sidecar, submitting->host});
        return effects;
    }
    on_end_of(sidecar, why, effects);
    return effects;
}

SidecarEffects SlurmSidecars::merged(SidecarId sidecar, const core::Host& host) {
    SidecarEffects effects;
    const auto it = sidecars_.find(sidecar);
    const auto* submitting =
        it == sidecars_.end() ? nullptr : std::get_if<sidecar::Submitting>(&it->second);
    if (submitting == nullptr) return effects;
    const auto wanted_by = submitting->wanted_by;
    sidecars_.erase(it);
    parent_.add(host);
    if (wanted_by) {
        settle(*wanted_by, {host}, effects);
        return effects;
    }
    for (auto& text : parent_.release(host.name)) effects.emplace_back(TellUser{std::move(text)});
    return effects;
}

void SlurmSidecars::listing_begins() {
    due_.clear();
    for (const auto& [sidecar, state] : sidecars_)
        if (const auto job = job_in(state)) due_.insert(*job);
}

SidecarEffects SlurmSidecars::listed(const std::vector<ListedJob>& jobs) {
    SidecarEffects effects;
    const auto due = std::exchange(due_, {});
    std::map<SlurmJob, const ListedJob*> rows;
    for (const auto& row : jobs) rows.emplace(row.job, &row);
    const auto known = sidecars_;
    for (const auto& [sidecar, state] : known) {
        const auto job = job_in(state);
        if (!job) continue;
        const auto row = rows.find(*job);
        if (row != rows.end())
            on_listed(sidecar, row->second, effects);
        else if (due.contains(*job))
            on_listed(sidecar, nullptr, effects);
        if (row != rows.end()) rows.erase(row);
    }
    // A row may belong to a sidecar whose number has not arrived yet.
    if (is_submitting()) return effects;
    for (const auto& [job, row] : rows) on_unknown_job(*row, effects);
    miss_held_hosts(effects);
    return effects;
}

void SlurmSidecars::not_cancelled(SlurmJob job) {
    for (auto& [sidecar, state] : sidecars_)
        if (auto* cancelling = std::get_if<sidecar::Cancelling>(&state))
            if (cancelling->job == job) cancelling->is_to_be_repeated = true;
}

void SlurmSidecars::on_listed(SidecarId sidecar, const ListedJob* row, SidecarEffects& effects) {
    const auto phase = row == nullptr ? SlurmPhase::ended : phase_of(row->state);
    const auto state = sidecars_.at(sidecar);
    const auto* cancelling = std::get_if<sidecar::Cancelling>(&state);
    if (phase == SlurmPhase::ended)
        return on_end_of(sidecar, slurm_name(*job_in(state)) + " " + how_it_is(row), effects);
    if (cancelling != nullptr && cancelling->is_to_be_repeated)
        return drop(sidecar, cancelling->job, effects);
    if (const auto* waiting = std::get_if<sidecar::Waiting>(&state);
        waiting != nullptr && phase == SlurmPhase::running)
        return on_running(sidecar, *waiting, *row, effects);
    if (const auto* waiting = std::get_if<sidecar::Waiting>(&state);
        waiting != nullptr && waiting->before_waiting_jobs && has_no_host_now(*row))
        return give_up(sidecar, *waiting, effects);
    const auto* used = std::get_if<sidecar::InUse>(&state);
    if (used == nullptr || phase != SlurmPhase::waiting) return;
    // Slurm has requeued the sidecar: its host is gone, and a later host is not useful.
    on_end_of(sidecar, {}, effects);
    effects.emplace_back(CancelSidecar{used->job});
}

void SlurmSidecars::on_running(SidecarId sidecar, sidecar::Waiting waiting, const ListedJob& row,
                               SidecarEffects& effects) {
    try {
        const auto host = only_host_of(row);
        if (is_in_use(host)) throw InputError("Ductile's job already uses its host " + host);
        sidecars_[sidecar] = sidecar::InUse{row.job, host};
        settle(waiting.wanted_by, {{host, std::max(1, row.cpus)}}, effects);
    } catch (const InputError& error) {
        drop(sidecar, row.job, effects);
        const auto why = slurm_name(row.job) + " is of no use: " + error.what();
        effects.emplace_back(TellUser{why});
        requests_[waiting.wanted_by].why_not = why;
        settle(waiting.wanted_by, {}, effects);
    }
}

/// The sidecar was to get an idle host, and no host is idle any more.
void SlurmSidecars::give_up(SidecarId sidecar, sidecar::Waiting waiting, SidecarEffects& effects) {
    drop(sidecar, waiting.job, effects);
    requests_[waiting.wanted_by].why_not = "no host is idle any more";
    settle(waiting.wanted_by, {}, effects);
}

/// Called for a sidecar that has ended, that Slurm has requeued, or that could not be submitted.
void SlurmSidecars::on_end_of(SidecarId sidecar, const std::string& why, SidecarEffects& effects) {
    const auto state = sidecars_.at(sidecar);
    if (std::holds_alternative<sidecar::Ended>(state)) return;
    if (const auto* used = std::get_if<sidecar::InUse>(&state)) {
        sidecars_[sidecar] = sidecar::Ended{used->job, used->host};
        effects.emplace_back(TellJob{Revoked{used->host, std::chrono::milliseconds(0)}});
        return;
    }
    sidecars_.erase(sidecar);
    const auto wanted_by = request_in(state);
    if (!wanted_by) return;
    requests_[*wanted_by].why_not = why;
    settle(*wanted_by, {}, effects);
}

/// A sidecar that an earlier broker submitted, or a sidecar whose submission seemed to fail.
void SlurmSidecars::on_unknown_job(const ListedJob& row, SidecarEffects& effects) {
    const auto phase = phase_of(row.state);
    if (phase == SlurmPhase::ended || phase == SlurmPhase::unknown) return;
    const SidecarId sidecar{next_++};
    const auto held =
        phase == SlurmPhase::running ? std::ranges::find(held_, row.hosts) : held_.end();
    if (held == held_.end()) return drop(sidecar, row.job, effects);
    sidecars_.emplace(sidecar, sidecar::InUse{row.job, *held});
    held_.erase(held);
}

void SlurmSidecars::miss_held_hosts(SidecarEffects& effects) {
    for (const auto& host : std::exchange(held_, {}))
        effects.emplace_back(TellJob{Revoked{host, std::chrono::milliseconds(0)}});
}

// ---- both ----

void SlurmSidecars::drop(SidecarId sidecar, SlurmJob job, SidecarEffects& effects) {
    sidecars_[sidecar] = sidecar::Cancelling{job};
    effects.emplace_back(CancelSidecar{job});
}

void SlurmSidecars::settle(RequestId id, std::vector<core::Host> granted, SidecarEffects& effects) {
    const bool is_last = !has_open(id);
    if (!granted.empty())
        effects.emplace_back(TellJob{Granted{id, std::move(granted), is_last}});
    else if (is_last)
        effects.emplace_back(TellJob{Denied{id, requests_[id].why_not}});
    if (is_last) requests_.erase(id);
}

std::optional<SlurmJob> SlurmSidecars::job_of(std::string_view host) const {
    if (parent_.has(host)) return parent_.job();
    for (const auto& [sidecar, state] : sidecars_) {
        if (const auto* used = std::get_if<sidecar::InUse>(&state); used && used->host == host)
            return used->job;
        if (const auto* ended = std::get_if<sidecar::Ended>(&state); ended && ended->host == host)
            return ended->job;
    }
    return std::nullopt;
}

bool SlurmSidecars::is_in_use(std::string_view host) const {
    return job_of(host).has_value();
}

bool SlurmSidecars::has_open(RequestId id) const {
    return std::ranges::any_of(sidecars_,
                               [id](const auto& one) { return request_in(one.second) == id; });
}

bool SlurmSidecars::is_submitting() const {
    return std::ranges::any_of(sidecars_, [](const auto& one) {
        return std::holds_alternative<sidecar::Submitting>(one.second);
    });
}

bool SlurmSidecars::awaits_slurm() const {
    return !held_.empty() || parent_.is_shrinking() ||
           std::ranges::any_of(sidecars_, [](const auto& one) {
               return std::holds_alternative<sidecar::Waiting>(one.second) ||
                      std::holds_alternative<sidecar::Cancelling>(one.second);
           });
}

}  // namespace ductile::rms
