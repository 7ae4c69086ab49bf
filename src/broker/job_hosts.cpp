#include "broker/job_hosts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <asio/post.hpp>
#include <utility>

#include "rms/self.hpp"

namespace ductile::broker {

namespace {

using namespace std::chrono_literals;

constexpr std::chrono::milliseconds agent_up_within = 15s;
constexpr auto agent_end_within = 15s;

std::chrono::milliseconds ms(double seconds) {
    return std::chrono::milliseconds(static_cast<int>(seconds * 1000));
}

IdleHosts idle_hosts_of(const rms::ResourceManager& rms) {
    return rms.takes_back() ? IdleHosts::given_back : IdleHosts::kept;
}

/// Most events of agents need no journal entry here: the operations that they belong to are
/// journaled.
bool is_journaled(const HostEvent& event) {
    return !std::holds_alternative<AgentStarting>(event) &&
           !std::holds_alternative<AgentDraining>(event) &&
           !std::holds_alternative<AgentUp>(event) && !std::holds_alternative<AgentLost>(event);
}

std::map<HostIndex, std::vector<wire::RangeFields>> by_host(
    const std::vector<core::RankRange>& ranks) {
    std::map<HostIndex, std::vector<wire::RangeFields>> ranges;
    for (const auto& range : ranks) ranges[range.host].push_back(wire::RangeFields{range});
    return ranges;
}

const host::State& state_of(HostIndex host, const HostTable& table) {
    return table.state().hosts.at(static_cast<std::size_t>(host.value)).state;
}

/// Another host that has the same host name but is another machine. None if there are several, so
/// that the user is told once.
std::optional<HostIndex> namesake_of(HostIndex host, const AgentPool& agents) {
    const auto* mine = agents.hello(host);
    std::vector<HostIndex> found;
    for (const auto other : agents.hosts())
        if (const auto* theirs = agents.hello(other); theirs != nullptr && mine != nullptr)
            if (theirs->host_name == mine->host_name && theirs->machine != mine->machine)
                found.push_back(other);
    return found.size() == 1 ? std::optional(found.front()) : std::nullopt;
}

template <class Event>
HostEvent event_of(const Event& answer) {
    return answer;
}

HostEvent event_of(const rms::Revoked& revoked) {
    return HostRevoked{revoked.host, wall_time() + revoked.within};
}

// The same limit as in the agents: agent/agent.cpp.
AgentTimes times_of(const wire::AgentWelcome& welcome) {
    const auto heartbeat_limit = ms(welcome.heartbeat_limit_s);
    return {std::max(agent_up_within, heartbeat_limit), ms(welcome.heartbeat_s), heartbeat_limit};
}

}  // namespace

JobHosts::JobHosts(asio::io_context& io, const std::string& job, const AgentSetup& setup,
                   std::unique_ptr<rms::ResourceManager> rms, AgentEvents events,
                   HostCallbacks callbacks, const std::optional<HostsTakenOver>& taken_over)
    : io_(io),
      events_(std::move(events)),
      callbacks_(std::move(callbacks)),
      rms_(std::move(rms)),
      table_(taken_over ? HostTable(idle_hosts_of(*rms_), taken_over->table)
                        : HostTable(idle_hosts_of(*rms_), rms_->allocation())),
      agents_(io, job, *rms_, times_of(setup.welcome), pool_events(),
              taken_over ? std::optional(taken_over->endpoint) : std::nullopt, setup),
      alarm_(io, [this] { apply(TimeIs{wall_time()}); }) {
    rms_->attach(
        io,
        [this](const rms::HostAnswer& answer) {
            std::visit([this](const auto& one) { apply(event_of(one)); }, answer);
        },
        callbacks_.notify_user);
    if (!taken_over) rms_->take_charge();
    alarm_.set(table_.next_deadline());
}

AgentEvents JobHosts::pool_events() {
    auto events = events_;
    events.on_up = [this](HostIndex host) {
        apply(AgentUp{host});
        if (const auto other = logical() ? std::nullopt : namesake_of(host, agents_))
            callbacks_.notify_user(fmt::format(
                "hosts {} and {} are different machines with one host name, {}: under MPICH "
                "growths onto such hosts fail, unless each gets a name of its own or "
                "MPIR_CVAR_NOLOCAL=1 is set",
                name(*other), name(host), agents_.hello(host)->host_name));
        events_.on_up(host);
    };
    events.on_lost = [this](HostIndex host, const std::string& why) { on_agent_lost(host, why); };
    events.on_gone = [this](HostIndex host) {
        finishing_.erase(host);
        apply(AgentGone{host});
        events_.on_gone(host);
    };
    events.on_swept = [this](HostIndex host) {
        // A new agent may have been started on this host since.
        if (std::holds_alternative<host::Lost>(state_of(host, table_))) apply(AgentGone{host});
    };
    return events;
}

// Compares ids of machines, because the names in host lists may be short or full, and because two
// machines may have one host name.
bool is_self(HostIndex host, const JobHosts& hosts) {
    const auto* hello = hosts.agents().hello(host);
    return !hosts.logical() && hello != nullptr && hello->machine == rms::machine();
}

// ---- the table ----

void JobHosts::apply(const HostEvent& event) {
    const bool journaled = is_journaled(event);
    const auto before = journaled ? table_.state() : HostTableState{};
    const auto effects = table_.on(event);
    // If writing fails, the journal tells the user. The change counts nevertheless: a granted host
    // belongs to the job.
    if (journaled && before != table_.state())
        static_cast<void>(callbacks_.journal("the job's hosts have changed"));
    for (const auto& effect : effects) carry_out(effect);
    alarm_.set(table_.next_deadline());
}

void JobHosts::carry_out(const HostEffect& effect) {
    std::visit(wire::Overloaded{
                   [this](const AskHosts& ask) { rms_->request(ask.id, ask.request); },
                   [this](const CancelRequest& cancel) { rms_->cancel(cancel.id); },
                   [this](const ReleaseHost& release) { rms_->release(release.name); },
                   [this](const HostsReady& ready) { callbacks_.on_ready(ready); },
                   [this](const HostsDenied& denied) { callbacks_.on_denied(denied); },
                   [this](const HostMustGo& must_go) { callbacks_.on_must_go(must_go); },
                   [this](const HostLost& lost) { lose(lost); },
               },
               effect);
}

void JobHosts::lose(const HostLost& lost) {
    finishing_.erase(lost.host);
    agents_.drop(lost.host);
    events_.on_lost(lost.host, lost.why);
}

std::optional<std::string> JobHosts::ask(const HostNeed& need) {
    auto before = table_;
    const auto effects = table_.on(HostsWanted{need});
    if (auto why = callbacks_.journal("hosts are asked for")) {
        table_ = std::move(before);  // the resource manager never hears of the request
        return why;
    }
    for (const auto& effect : effects) carry_out(effect);
    alarm_.set(table_.next_deadline());
    return std::nullopt;
}

void JobHosts::give_back_idle(const std::function<bool(HostIndex)>& is_needed) {
    if (!come_and_go()) return;
    for (const auto host : table_.idle_hosts())
        if (!is_needed(host)) apply(HostUnneeded{host});
}

void JobHosts::taken_over(const std::set<HostIndex>& lost) {
    rms_->take_charge();
    apply(TakenOver{lost});
}

void JobHosts::end() {
    rms_->end();
    if (come_and_go() && !table_.state().ending) apply(JobEnding{});
}

// ---- agents ----

void JobHosts::start(HostIndex host, const std::vector<wire::StartRun>& runs) {
    for (const auto& effect : table_.on(AgentStarting{host}))
        if (const auto* lost = std::get_if<HostLost>(&effect))
            return asio::post(io_, [this, lost = *lost] { lose(lost); });
    agents_.start(host, name(host), runs);
}

void JobHosts::finish(HostIndex host) {
    const auto [it, is_first] = finishing_.try_emplace(host, io_, agent_end_within);
    if (!is_first) return;
    it->second.async_wait([this, host](const std::error_code& error) {
        if (!error) on_agent_lost(host, "its agent did not end in time");
    });
    apply(AgentDraining{host});
    agents_.send(host, wire::FinishAgent{});
}

void JobHosts::send_to(const std::vector<core::RankRange>& ranks, const wire::ToRank& message) {
    for (auto& [host, ranges] : by_host(ranks))
        agents_.send(host, wire::ToRanks{std::move(ranges), message});
}

void JobHosts::signal(const std::vector<core::RankRange>& ranks, int number) {
    for (auto& [host, ranges] : by_host(ranks))
        agents_.send(host, wire::SignalRanks{std::move(ranges), number});
}

void JobHosts::announce_coordinator(HostIndex host, const std::vector<HostIndex>& members) {
    if (const auto* hello = agents_.hello(host))
        agents_.send_to_all(wire::Coordinator{host, hello->addresses, hello->port, members});
}

void JobHosts::on_agent_lost(HostIndex host, const std::string& why) {
    apply(AgentLost{host, why});
    if (!come_and_go()) apply(AgentGone{host});  // nobody waits for the clean-up
}

}  // namespace ductile::broker
