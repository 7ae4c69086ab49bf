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

/// What an agent does is journaled with what it does it for.
bool is_journaled(const HostEvent& event) {
    return !std::holds_alternative<AgentStarting>(event) &&
           !std::holds_alternative<AgentDraining>(event) &&
           !std::holds_alternative<AgentUp>(event) && !std::holds_alternative<AgentLost>(event);
}

const host::State& state_of(HostIndex host, const HostTable& table) {
    return table.state().hosts.at(static_cast<std::size_t>(host.value)).state;
}

/// The only other host, so that it is said once, that has the host name of this one.
std::optional<HostIndex> twin_of(HostIndex host, const AgentPool& agents) {
    const auto* mine = agents.hello(host);
    std::vector<HostIndex> twins;
    for (const auto other : agents.hosts())
        if (const auto* theirs = agents.hello(other); theirs != nullptr && mine != nullptr)
            if (other != host && theirs->host_name == mine->host_name) twins.push_back(other);
    return twins.size() == 1 ? std::optional(twins.front()) : std::nullopt;
}

template <class Event>
HostEvent event_of(const Event& answer) {
    return answer;
}

HostEvent event_of(const rms::Revoked& revoked) {
    return HostRevoked{revoked.host, wall_time() + revoked.within};
}

// As the agents' own limit: agent/agent.cpp.
AgentTimes times_of(const wire::AgentWelcome& welcome) {
    const auto beat_limit = ms(welcome.beat_limit_s);
    return {std::max(agent_up_within, beat_limit), ms(welcome.beat_s), beat_limit};
}

}  // namespace

JobHosts::JobHosts(asio::io_context& io, const std::string& job, const wire::AgentWelcome& welcome,
                   std::unique_ptr<rms::ResourceManager> rms, AgentEvents events, HostNews news,
                   const std::optional<HostsTakenOver>& taken_over)
    : io_(io),
      events_(std::move(events)),
      news_(std::move(news)),
      rms_(std::move(rms)),
      table_(taken_over ? HostTable(idle_hosts_of(*rms_), taken_over->table)
                        : HostTable(idle_hosts_of(*rms_), rms_->allocation())),
      agents_(io, job, *rms_, times_of(welcome), pool_events(),
              taken_over ? std::optional(taken_over->endpoint) : std::nullopt, welcome),
      alarm_(io, [this] { apply(TimeIs{wall_time()}); }) {
    rms_->attach(
        io,
        [this](const rms::HostAnswer& answer) {
            std::visit([this](const auto& one) { apply(event_of(one)); }, answer);
        },
        news_.notify_user);
    alarm_.set(table_.next_deadline());
}

AgentEvents JobHosts::pool_events() {
    auto events = events_;
    events.on_up = [this](HostIndex host) {
        apply(AgentUp{host});
        if (const auto twin = logical() ? std::nullopt : twin_of(host, agents_))
            news_.notify_user(fmt::format(
                "hosts {} and {} have one host name, {}: if they are one machine, name it once, "
                "with all of its slots (under MPICH growths onto such hosts fail, unless "
                "MPIR_CVAR_NOLOCAL=1 is set)",
                name(*twin), name(host), agents_.hello(host)->host_name));
        events_.on_up(host);
    };
    events.on_lost = [this](HostIndex host, const std::string& why) { on_agent_lost(host, why); };
    events.on_gone = [this](HostIndex host) {
        finishing_.erase(host);
        apply(AgentGone{host});
        events_.on_gone(host);
    };
    events.on_swept = [this](HostIndex host) {
        // An agent may have been started there since.
        if (std::holds_alternative<host::Lost>(state_of(host, table_))) apply(AgentGone{host});
    };
    return events;
}

bool JobHosts::is_self(HostIndex host) const {
    const auto* hello = agents_.hello(host);
    return !logical() && hello != nullptr && hello->host_name == rms::host_name();
}

// ---- the table ----

void JobHosts::apply(const HostEvent& event) {
    const bool journaled = is_journaled(event);
    const auto before = journaled ? table_.state() : HostTableState{};
    const auto effects = table_.on(event);
    // What cannot be written is said by the journal; a host that was granted is the job's anyhow.
    if (journaled && before != table_.state())
        static_cast<void>(news_.journal("the job's hosts have changed"));
    for (const auto& effect : effects) carry_out(effect);
    alarm_.set(table_.next_deadline());
}

void JobHosts::carry_out(const HostEffect& effect) {
    std::visit(wire::Overloaded{
                   [this](const AskHosts& ask) { rms_->request(ask.id, ask.request); },
                   [this](const CancelRequest& cancel) { rms_->cancel(cancel.id); },
                   [this](const ReleaseHost& release) { rms_->release(release.name); },
                   [this](const HostsReady& ready) { news_.on_ready(ready); },
                   [this](const HostsDenied& denied) { news_.on_denied(denied); },
                   [this](const HostMustGo& must_go) { news_.on_must_go(must_go); },
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
    const auto effects = table_.on(HostsWanted{need});
    if (auto why = news_.journal("hosts are asked for")) {
        static_cast<void>(table_.on(HostsWithdrawn{need.wanted_by}));
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

void JobHosts::end() {
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
    std::map<HostIndex, std::vector<wire::RangeFields>> by_host;
    for (const auto& range : ranks) by_host[range.host].push_back(wire::RangeFields{range});
    for (auto& [host, ranges] : by_host)
        agents_.send(host, wire::ToRanks{std::move(ranges), message});
}

void JobHosts::announce_coordinator(HostIndex host, const std::vector<HostIndex>& members) {
    if (const auto* hello = agents_.hello(host))
        agents_.send_to_all(wire::Coordinator{host, hello->addresses, hello->port, members});
}

void JobHosts::on_agent_lost(HostIndex host, const std::string& why) {
    apply(AgentLost{host, why});
    if (!come_and_go()) apply(AgentGone{host});  // nobody else waits for it to be cleaned up
}

}  // namespace ductile::broker
