#include "agent/rank_host.hpp"

#include <sys/wait.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "agent/group_environment.hpp"
#include "agent/input.hpp"
#include "agent/launcher_group.hpp"
#include "rms/self.hpp"

namespace ductile::agent {

namespace {

HostServices joined(HostServices services, const HostServices& more) {
    services.insert(services.end(), more.begin(), more.end());
    return services;
}

}  // namespace

RankHost::RankHost(asio::io_context& io, const Bootstrap& bootstrap, Input& input,
                   HostServices services, const Events& events)
    : on_change_(events.on_change),
      directory_(bootstrap.marker()),
      stale_files_(directory_.stale_files_path()),
      pmi_port_(io, [this](const std::string& why) { context_.tell(wire::Notice{why}); }),
      context_{io,
               input,
               pmi_port_,
               joined(std::move(services), {&stale_files_, &pmi_}),
               {bootstrap.identity.job, bootstrap.marker(), directory_.socket_path(),
                rms::companion("shim"), bootstrap.identity.host},
               events.tell,
               events.log,
               [this] { return groups_.children(); },
               [this](core::GroupId group) { return groups_.is_alone(group); },
               [this](core::GroupId) { on_change_(); },
               [this](const std::string& port) {
                   on(wire::RunAbortConnector{core::TransactionId{0}, port, {}});
               }},
      server_(
          io, directory_.socket_path(),
          [this](const std::shared_ptr<LocalPeer>& peer, const wire::Message& encoded,
                 std::vector<wire::Fd> descriptors) {
              adopt(peer, encoded, std::move(descriptors));
          },
          [this](const std::string& why) { context_.tell(wire::Notice{why}); }) {}

void RankHost::adopt(const std::shared_ptr<LocalPeer>& peer, const wire::Message& encoded,
                     std::vector<wire::Fd> descriptors) {
    std::visit(
        [&](const auto& hello) {
            using Hello = std::decay_t<decltype(hello)>;
            using Kind =
                std::conditional_t<std::is_same_v<Hello, wire::RankHello>, GroupRun, LauncherGroup>;
            const auto run = groups_.find<Kind>(hello.group);
            if (!run)
                throw InputError(std::string(hello.name) + " refused: group " +
                                 std::to_string(hello.group.value) + " does not run here");
            if constexpr (std::is_same_v<Hello, wire::ShimHello>)
                run->adopt_shim(peer, hello, std::move(descriptors));
            else if constexpr (std::is_same_v<Hello, wire::RemoteLaunch>)
                run->adopt_companion(peer, hello);
            else
                run->adopt_rank(peer, hello);
        },
        wire::decode<wire::FromLocal>(encoded));
}

void RankHost::reap() {
    int status = 0;
    for (pid_t pid = 0; (pid = ::waitpid(-1, &status, WNOHANG)) > 0;) {
        if (const auto ended = groups_.abort_connector_reaped(pid, status)) {
            context_.tell(*ended);
            on_change_();
        } else if (groups_.child_reaped(pid, status)) {
            on_change_();
        }
    }
}

// --- groups are started ---

std::string RankHost::why_not_start(const wire::StartRun& what, bool agent_is_ending) const {
    if (directory_.is_removed())
        return "somebody has removed the agent's directory " + directory_.path() +
               ", where its ranks would find its socket";
    if (!welcome_)
        return "no welcome came before the order to start group " +
               std::to_string(what.group.value);
    return agent_is_ending ? "the agent is ending" : "";
}

std::shared_ptr<GroupRun> RankHost::started(const wire::StartRun& what) {
    std::shared_ptr<GroupRun> run;
    if (std::holds_alternative<wire::ServedWorld>(what.manager))
        run = std::make_shared<ServedGroup>(context_, what);
    else
        run = std::make_shared<LauncherGroup>(context_, what);
    run->start(*welcome_);
    return run;
}

void RankHost::start(const wire::StartRun& what, bool agent_is_ending) {
    const auto name = "group " + std::to_string(what.group.value);
    if (groups_.had(what.group))
        return context_.tell(
            wire::Notice{"order refused: " + name + " has been started here before"});
    auto why = why_not_start(what, agent_is_ending);
    if (why.empty()) {
        try {
            groups_.add(started(what));
            if (what.spawned) context_.tell(wire::Expecting{what.group});
            return context_.log(name + " started");
        } catch (const Error& error) {
            why = error.what();
        }
    }
    context_.tell(wire::RunEnded{what.group, 127, 0, why});
}

// If a proxy cannot be started, its part of the group is killed: mpiexec would wait for the proxy
// in vain.
void RankHost::on(const wire::StartProxy& what) {
    const auto run = groups_.find<LauncherGroup>(what.group);
    // The group ended before the order arrived, or a new broker repeats the order.
    if (!run || !run->awaits_order()) return;
    try {
        if (!welcome_) throw UsageError("no welcome came before the order to start a proxy");
        run->start_proxy(*welcome_, what.argv);
        context_.log("proxy of group " + std::to_string(what.group.value) + " started");
    } catch (const Error& error) {
        context_.tell(wire::Notice{error.what()});
        run->on(group_event::KillOrdered{});
    }
}

void RankHost::on(const wire::ProxyEnded& what) {
    if (const auto run = groups_.find<LauncherGroup>(what.group))
        run->proxy_ended({what.starts, what.part}, what.code);
}

void RankHost::on(const wire::StartRanks& what) {
    const auto run = groups_.find<ServedGroup>(what.group);
    if (!run) return;  // the group ended before the order arrived
    try {
        if (!welcome_) throw UsageError("no welcome came before the order to start ranks");
        run->start_ranks(*welcome_, what);
        context_.log("ranks of group " + std::to_string(what.group.value) + " started");
    } catch (const Error& error) {
        context_.tell(wire::Notice{error.what()});
        run->on(group_event::KillOrdered{});
    }
}

void RankHost::on(const wire::RunAbortConnector& what) {
    try {
        if (!welcome_)
            throw UsageError("no welcome came before the order to run an abort connector");
        auto abort_connector = AbortConnector::start(
            context_.io, rms::companion("abort-connector"), what,
            group_environment(welcome_->environment, {"DUCTILE_AGENT=" + context_.self.marker}),
            stale_files_.record());
        groups_.add(std::move(abort_connector));
    } catch (const Error& error) {
        context_.tell(wire::AbortConnectorEnded{what.transaction, false, error.what()});
    }
}

// --- groups that run ---

void RankHost::on(const wire::KillRun& what) {
    if (const auto run = groups_.find(what.group)) run->on(group_event::EndOrdered{});
}

void RankHost::on(const wire::ToRanks& what) {
    for (const auto& range : what.ranks)
        if (const auto run = groups_.find(range.group))
            run->send(places_in(*run, range), what.message);
}

void RankHost::on(const wire::RanksLeave& what) {
    const std::chrono::duration<double> within(welcome_ ? welcome_->leave_within_s : 0);
    const auto kill_at = os::JobClock::now() + std::chrono::duration_cast<Time::duration>(within);
    for (const auto& range : what.ranks)
        if (const auto run = groups_.find(range.group))
            run->on(group_event::LeaveOrdered{places_in(*run, range), kill_at});
}

void RankHost::on(const wire::GiveInput& what) {
    if (what.has_ended) context_.input.finish();
    const auto run = groups_.find(what.group);
    if (!run || !run->give_input(what.rank)) context_.input.finish();
}

void RankHost::on(const wire::SignalRanks& what) {
    for (const auto& range : what.ranks)
        if (const auto run = groups_.find(range.group))
            run->signal_ranks(places_in(*run, range), what.signal);
}

void RankHost::signal_all(int number) {
    for (const auto& run : groups_.running()) run->signal_all(number);
}

void RankHost::set_brokerless(bool on_now) {
    for (const auto& run : groups_.running()) run->set_brokerless(on_now);
    if (!on_now) return;
    for (const auto& run : groups_.running()) run->send(all_places(*run), wire::BrokerLost{});
}

// A broker may come back before this agent notices the loss. Ranks are told of the loss and of the
// return even then, because the lost broker may not have received their last messages.
void RankHost::tell_inventory(core::TransactionId committed) {
    context_.input.finish();
    wire::Inventory inventory;
    inventory.committed = committed;
    for (const auto& run : groups_.all()) inventory.groups.push_back(inventory_of(*run));
    for (const auto& run : groups_.running()) {
        run->send(all_places(*run), wire::BrokerLost{});
        run->send(all_places(*run), wire::BrokerBack{});
    }
    context_.tell(inventory);
    for (const auto& run : groups_.running()) run->tell_again();
}

}  // namespace ductile::agent
