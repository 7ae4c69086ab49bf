#include "agent/agent.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>

#include "rms/self.hpp"
#include "wire/event_loop.hpp"

namespace ductile::agent {

namespace {

// A user may set a longer heartbeat limit for slow machines. There the first contact with the
// broker may take longer, too.
std::chrono::duration<double> first_contact_limit(const Bootstrap& bootstrap) {
    const double heartbeat_limit_s = bootstrap.welcome ? bootstrap.welcome->heartbeat_limit_s : 0;
    return std::chrono::duration<double>(std::max(15.0, heartbeat_limit_s));
}

wire::AgentHello make_hello(const Bootstrap& bootstrap, int port) {
    wire::AgentHello hello;
    hello.job = bootstrap.identity.job;
    hello.host = bootstrap.identity.host;
    hello.generation = bootstrap.identity.generation;
    hello.pid = ::getpid();
    hello.host_name = rms::host_name();
    hello.machine = rms::machine();
    if (bootstrap.logical)
        hello.addresses = {"127.0.0.1"};
    else
        hello.addresses = rms::own_addresses();
    if (hello.addresses.size() > 16) hello.addresses.resize(16);
    hello.port = port;
    return hello;
}

}  // namespace

Agent::Agent(asio::io_context& io, Bootstrap bootstrap, Log log)
    : io_(io),
      bootstrap_(std::move(bootstrap)),
      log_(std::move(log)),
      peers_(io, bootstrap_,
             {[this] { consider(); },
              [this](const std::string& why) {
                  end_all("the job's coordinator agent says: " + why, 1);
              },
              log_}),
      broker_(io, bootstrap_, make_hello(bootstrap_, peers_.port()),
              {[this](const wire::ToAgent& order) { on_order(order); },
               [this](BrokerState state) { on_broker(state); },
               [this] {
                   log_("this process was stopped for a while");
                   orphan_.restart();
               },
               [this] { go_on(); }, log_}),
      streams_(io, bootstrap_, make_hello(bootstrap_, peers_.port()), [this] { consider(); }),
      host_(io, bootstrap_, streams_.input(), streams_.services(),
            {[this](const wire::FromAgent& message) { tell(message); }, [this] { consider(); },
             log_}),
      orphan_(io, [this](const std::string& why) { end_all(why + " (--orphan-limit)", 1); }),
      power_(io, bootstrap_.logical, [this](const wire::HostPower& power) { broker_.send(power); }),
      signals_(io),
      finish_timer_(io) {}

int Agent::run() {
    for (const int number : {SIGCHLD, SIGTERM, SIGINT}) signals_.add(number);
    on_signal();
    if (bootstrap_.welcome) on_order(*bootstrap_.welcome);
    for (const auto& what : bootstrap_.runs) on_order(what);
    broker_.start();
    await_first_contact(first_contact_limit(bootstrap_));
    wire::run_to_end(io_, [this](const std::string& why) {
        end_all("an internal error of the agent: " + why, 1);
    });
    return life_.code();
}

// A broker that was stopped in the meantime is there, and does not answer.
void Agent::await_first_contact(std::chrono::duration<double> limit) {
    finish_timer_.expires_after(std::chrono::duration_cast<os::JobTimer::duration>(limit));
    finish_timer_.async_wait([this, limit](const asio::error_code& error) {
        if (error || broker_.state() != BrokerState::connecting) return;
        if (broker_.is_unanswered() && --contacts_left_ > 0) return await_first_contact(limit);
        end_all(fmt::format("the broker was not reached within {:g} s ({})", limit.count(),
                            broker_.last_failure()),
                1);
    });
}

// The broker has no time for the job now. It stops itself next.
void Agent::suspend() {
    log_("the job is stopped");
    host_.signal_all(SIGSTOP);
    os::JobClock::hold();
}

// The broker may also have ended meanwhile. Then the ranks continue without a broker.
void Agent::go_on() {
    if (!os::JobClock::is_held()) return;
    log_("the job continues");
    os::JobClock::release();
    host_.signal_all(SIGCONT);
}

void Agent::on_signal() {
    signals_.async_wait([this](const asio::error_code& error, int number) {
        if (error) return;
        if (number == SIGCHLD)
            host_.reap();
        else
            end_all("signal " + std::to_string(number), 0);
        on_signal();
    });
}

// --- what the broker orders, and what it is told ---

void Agent::on_order(const wire::ToAgent& order) {
    std::visit(wire::Overloaded{
                   [&](const wire::AgentWelcome& what) { welcomed(what); },
                   [](const wire::Heartbeat&) {},
                   [&](const wire::FinishAgent&) {
                       life_.order_finish();
                       consider();
                   },
                   [&](const wire::EndJob& what) { end_all(what.why, 0); },
                   [&](const wire::Coordinator& what) { peers_.set_coordinator(what); },
                   [&](const wire::SignalRanks& what) {
                       if (what.signal == SIGSTOP) return suspend();
                       if (what.signal == SIGCONT) return go_on();
                       host_.on(what);
                   },
                   [&](const wire::StartRun& what) { host_.start(what, !life_.is_working()); },
                   [&](const wire::ToRanks& what) {
                       history_.on(what.message);
                       host_.on(what);
                   },
                   [&](const wire::QueryInventory&) { host_.tell_inventory(history_.committed()); },
                   [&](const auto& what) { host_.on(what); },
               },
               order);
    // An order to start something was on its way when the job was stopped.
    if (os::JobClock::is_held()) host_.signal_all(SIGSTOP);
}

void Agent::welcomed(const wire::AgentWelcome& what) {
    using Seconds = std::chrono::duration<double>;
    const Heartbeat heartbeat{Seconds(what.heartbeat_s), Seconds(what.heartbeat_limit_s)};
    host_.set_welcome(what);
    broker_.set_heartbeat(heartbeat);
    peers_.set_heartbeat(heartbeat);
    orphan_.set_limit(Seconds(what.orphan_limit_s));
    if (what.meters_power) power_.start();
}

void Agent::tell(const wire::FromAgent& message) {
    broker_.send(message);
    if (const auto* said = std::get_if<wire::FromRanks>(&message)) on_rank_message(said->message);
    const auto* end = std::get_if<wire::RankEnded>(&message);
    if (end == nullptr) return;
    host_.wake_parked();
    if (life_.is_working()) history_.on(*end);
    consider();
}

void Agent::on_rank_message(const wire::FromRank& message) {
    if (std::holds_alternative<wire::Goodbye>(message) ||
        std::holds_alternative<wire::Parked>(message))
        host_.wake_parked();
    if (std::holds_alternative<wire::Spawned>(message)) watch_orphan();
    history_.on(message);
}

// --- without a broker ---

bool Agent::is_orphaned() const {
    return broker_.state() != BrokerState::connected && broker_.state() != BrokerState::connecting;
}

void Agent::on_broker(BrokerState state) {
    if (life_.is_finishing()) return;
    if (state == BrokerState::connected) streams_.broker_found(broker_.addresses());
    peers_.set_brokerless(is_orphaned());
    host_.set_brokerless(state == BrokerState::gone);
    if (state == BrokerState::gone) streams_.broker_lost(output_path());
    consider();
}

std::string Agent::output_path() const {
    const auto& welcome = host_.welcome();
    const auto folder =
        output_folder(welcome ? welcome->directory : std::string(), runtime_parent() + "/output");
    if (folder.empty()) return {};
    return folder + "/ductile-" + bootstrap_.identity.job + ".host" +
           std::to_string(bootstrap_.identity.host.value) + ".out";
}

}  // namespace ductile::agent
