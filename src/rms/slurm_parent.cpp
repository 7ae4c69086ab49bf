#include "rms/slurm_parent.hpp"

#include <algorithm>
#include <utility>

namespace ductile::rms {

namespace {

constexpr std::chrono::seconds longest_busy{20};

/// Older versions of slurmctld could crash after a job had been resized (Slurm's CHANGELOG for
/// 23.11.8).
constexpr SlurmVersion first_safe_slurm{24, 5};
/// If a whole host leaves a job, 22.05 blocks this host for later jobs, and 24.11 does not. The
/// versions in between were not tried.
constexpr SlurmVersion first_with_whole_hosts{24, 11};

bool is_on(std::string_view host, std::string_view machine) {
    return !host.empty() && (host == machine || host == machine.substr(0, machine.find('.')));
}

std::string why_hosts_stay(ShrinkParent choice, const ShownJob& parent, SlurmVersion version) {
    if (choice == ShrinkParent::no) return "--shrink-slurm-job=no says so";
    if (parent.is_exclusive && version < first_with_whole_hosts)
        return "this job has whole hosts (--exclusive, or select/linear), and a Slurm before 24.11 "
               "blocks such a host for later jobs when the host leaves";
    if (choice == ShrinkParent::automatic && version < first_safe_slurm)
        return "this Slurm is older than 24.05, and may crash when a host leaves "
               "(--shrink-slurm-job=yes allows it nevertheless)";
    return {};
}

}  // namespace

ParentRules rules_for(ShrinkParent choice, const ShownJob& parent, SlurmVersion version,
                      std::string broker_host) {
    return {why_hosts_stay(choice, parent, version), std::move(broker_host)};
}

SlurmParent::SlurmParent(const ShownJob& parent, const core::Allocation& held,
                         const ParentRules& rules)
    : job_(parent.job),
      has_whole_hosts_(parent.is_exclusive),
      why_hosts_stay_(rules.why_hosts_stay) {
    const auto& own = parent.hosts.hosts;
    const auto script_host =
        parent.batch_host.empty() && !own.empty() ? own.front().name : parent.batch_host;
    for (const auto& host : own) {
        const bool is_held =
            std::ranges::find(held.hosts, host.name, &core::Host::name) != held.hosts.end();
        hosts_.push_back({host, is_held ? own_host::State(own_host::Used{}) : own_host::Idle{},
                          why_hosts_stay_.empty() && host.name != script_host &&
                              !is_on(host.name, rules.broker_host)});
    }
}

OwnHost* SlurmParent::find(std::string_view host) {
    const auto found =
        std::ranges::find(hosts_, host, [](const OwnHost& one) { return one.host.name; });
    return found == hosts_.end() ? nullptr : &*found;
}

bool SlurmParent::has(std::string_view host) const {
    return std::ranges::any_of(hosts_, [host](const OwnHost& one) {
        return one.host.name == host && !std::holds_alternative<own_host::Leaving>(one.state);
    });
}

std::vector<core::Host> SlurmParent::take(const HostRequest& request) {
    const auto& [min_slots, exclude] = request.constraints;
    std::vector<core::Host> taken;
    for (auto& [host, state, can_leave, had_agent] : hosts_) {
        const bool is_free = std::holds_alternative<own_host::Idle>(state) ||
                             std::holds_alternative<own_host::Released>(state);
        const bool is_excluded = std::ranges::find(exclude, host.name) != exclude.end();
        if (!is_free || is_excluded || host.slots < min_slots) continue;
        if (static_cast<int>(taken.size()) == request.hosts) break;
        state = own_host::Used{};
        taken.push_back(host);
    }
    return taken;
}

void SlurmParent::add(const core::Host& host) {
    std::erase_if(hosts_, [&host](const OwnHost& own) { return own.host.name == host.name; });
    hosts_.push_back({host, own_host::Used{}, true, true});
}

void SlurmParent::agent_starts_on(std::string_view host) {
    if (auto* own = find(host)) own->had_agent = true;
}

SlurmParent::Notices SlurmParent::release(std::string_view host) {
    auto* own = find(host);
    if (own == nullptr || !std::holds_alternative<own_host::Used>(own->state)) return {};
    const bool leaves = own->can_leave && own->had_agent;
    own->state = leaves ? own_host::State(own_host::Released{}) : own_host::Idle{};
    if (why_hosts_stay_.empty() || !own->had_agent || std::exchange(was_told_, true)) return {};
    return {own->host.name + " stays idle in Slurm job " + std::to_string(job_.value) + ": " +
            why_hosts_stay_};
}

bool SlurmParent::is_to_shrink() const {
    bool is_due = false;
    for (const auto& own : hosts_) {
        const auto* leaving = std::get_if<own_host::Leaving>(&own.state);
        if (leaving != nullptr && !leaving->is_unclear) return false;
        is_due |= leaving != nullptr || std::holds_alternative<own_host::Released>(own.state);
    }
    return is_due;
}

bool SlurmParent::is_shrinking() const {
    return std::ranges::any_of(hosts_, [](const OwnHost& own) {
        return std::holds_alternative<own_host::Released>(own.state) ||
               std::holds_alternative<own_host::Leaving>(own.state);
    });
}

std::optional<std::vector<std::string>> SlurmParent::shrink(const std::set<std::string>& busy,
                                                            Time now, Notices& notices) {
    if (!is_to_shrink()) return std::nullopt;
    std::vector<std::string> kept;
    for (auto& own : hosts_) {
        auto* released = std::get_if<own_host::Released>(&own.state);
        if (std::holds_alternative<own_host::Leaving>(own.state) ||
            (released != nullptr && !busy.contains(own.host.name))) {
            own.state = own_host::Leaving{};
            continue;
        }
        kept.push_back(own.host.name);
        if (released == nullptr) continue;
        if (!released->busy_since) released->busy_since = now;
        if (now - *released->busy_since < longest_busy) continue;
        own.state = own_host::Idle{};
        notices.push_back(own.host.name + " stays idle in Slurm job " + std::to_string(job_.value) +
                          ": another step of this job runs there");
    }
    if (kept.size() == hosts_.size()) return std::nullopt;
    add_unknown(busy, kept);
    return kept;
}

std::optional<std::vector<std::string>> SlurmParent::kept(const std::set<std::string>& busy) const {
    std::vector<std::string> kept;
    for (const auto& own : hosts_) {
        if (std::holds_alternative<own_host::Leaving>(own.state)) return std::nullopt;
        kept.push_back(own.host.name);
    }
    add_unknown(busy, kept);
    return kept;
}

void SlurmParent::add_unknown(const std::set<std::string>& busy,
                              std::vector<std::string>& kept) const {
    for (const auto& host : busy)
        if (std::ranges::none_of(hosts_,
                                 [&host](const OwnHost& own) { return own.host.name == host; }))
            kept.push_back(host);
}

void SlurmParent::shrunk() {
    std::erase_if(hosts_, [](const OwnHost& own) {
        return std::holds_alternative<own_host::Leaving>(own.state);
    });
}

void SlurmParent::shrink_is_unclear() {
    for (auto& own : hosts_)
        if (auto* leaving = std::get_if<own_host::Leaving>(&own.state)) leaving->is_unclear = true;
}

SlurmParent::Notices SlurmParent::not_shrunk(const std::string& why, const core::Allocation& now) {
    bool had_others = false;
    std::erase_if(hosts_, [&](const OwnHost& own) {
        const bool is_gone =
            std::ranges::find(now.hosts, own.host.name, &core::Host::name) == now.hosts.end();
        had_others |= is_gone && !std::holds_alternative<own_host::Leaving>(own.state);
        return is_gone;
    });
    Notices notices;
    for (auto& own : hosts_) {
        if (!std::holds_alternative<own_host::Leaving>(own.state)) continue;
        own.state = had_others ? own_host::State(own_host::Released{}) : own_host::Idle{};
        if (!had_others)
            notices.push_back(own.host.name + " stays idle in Slurm job " +
                              std::to_string(job_.value) + ": Slurm has not taken it back: " + why);
    }
    if (!notices.empty()) keep_all();
    return notices;
}

void SlurmParent::keep_all() {
    keeps_all_ = true;
    for (auto& own : hosts_) {
        own.can_leave = false;
        if (std::holds_alternative<own_host::Released>(own.state)) own.state = own_host::Idle{};
    }
}

}  // namespace ductile::rms
