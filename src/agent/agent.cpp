#include "agent/agent.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>

#include "agent/leftovers.hpp"
#include "rms/self.hpp"

namespace ductile::agent {

namespace {

using Clock = std::chrono::steady_clock;

constexpr auto first_contact_limit = std::chrono::seconds(15);
constexpr auto stream_patience = std::chrono::seconds(10);
constexpr auto goodbye_limit = std::chrono::seconds(5);

wire::AgentHello make_hello(const Bootstrap& bootstrap, int port) {
    wire::AgentHello hello;
    hello.job = bootstrap.identity.job;
    hello.host = bootstrap.identity.host;
    hello.generation = bootstrap.identity.generation;
    hello.pid = ::getpid();
    hello.host_name = rms::host_name();
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
      directory_(bootstrap_.marker()),
      output_(io, [this] { consider(); }),
      input_(io),
      around_{io,
              output_,
              input_,
              bootstrap_.identity.job,
              bootstrap_.marker(),
              directory_.socket_path(),
              rms::companion("starter"),
              bootstrap_.identity.host,
              [this](const wire::FromAgent& message) { tell(message); },
              log_,
              [this] { return known_children(); },
              [this](core::GroupId group) { return is_alone(group); },
              [this](core::GroupId) { consider(); }},
      server_(
          io, directory_.socket_path(),
          [this](const std::shared_ptr<LocalPeer>& peer, const wire::Json& json,
                 std::vector<wire::Fd> descriptors) {
              on_first(peer, json, std::move(descriptors));
          },
          [this](const std::string& why) { tell(wire::Notice{why}); }),
      star_(
          io, bootstrap_,
          {[this] { consider(); },
           [this](const std::string& why) {
               log_(why);
               star_failed_ = true;
               consider();
           },
           [this](const std::string& why) { end_all("the job's deputy agent says: " + why, 1); }}),
      broker_(io, bootstrap_, make_hello(bootstrap_, star_.port()),
              {[this](const wire::ToAgent& order) { on_order(order); },
               [this](BrokerState state) { on_broker(state); },
               [this] {
                   log_("this process was stopped for a while");
                   orphan_.restart(Clock::now());
               },
               log_}),
      stream_(io, bootstrap_, make_hello(bootstrap_, star_.port()), output_, input_),
      orphan_(std::chrono::seconds(60)),
      signals_(io),
      orphan_timer_(io),
      finish_timer_(io) {}

int Agent::run() {
    for (const int number : {SIGCHLD, SIGTERM, SIGINT}) signals_.add(number);
    on_signal();
    if (bootstrap_.welcome) on_order(*bootstrap_.welcome);
    for (const auto& what : bootstrap_.runs) start_run(what);
    broker_.start();
    finish_timer_.expires_after(first_contact_limit);
    finish_timer_.async_wait([this](const asio::error_code& error) {
        if (error || broker_.state() != BrokerState::connecting) return;
        end_all("the broker was not reached within 15 s (" + broker_.last_failure() + ")", 1);
    });
    io_.run();
    return code_;
}

void Agent::on_signal() {
    signals_.async_wait([this](const asio::error_code& error, int number) {
        if (error) return;
        if (number == SIGCHLD)
            reap();
        else
            end_all("signal " + std::to_string(number), 0);
        on_signal();
    });
}

// The only place where children are reaped: launchers, stand-ins, and orphans that came to us.
void Agent::reap() {
    int status = 0;
    for (pid_t pid = 0; (pid = ::waitpid(-1, &status, WNOHANG)) > 0;) {
        if (const auto it = stand_ins_.find(pid); it != stand_ins_.end()) {
            tell(it->second->reaped(status));
            stand_ins_.erase(it);
            consider();
            continue;
        }
        for (const auto& [id, run] : runs_)
            if (run->launcher_pid() == pid && !run->ended()) {
                const auto keep = run;
                keep->launcher_reaped(status);
                break;
            }
    }
}

std::set<pid_t> Agent::known_children() const {
    std::set<pid_t> known;
    for (const auto& [id, run] : runs_)
        if (!run->ended()) known.insert(run->launcher_pid());
    for (const auto& [pid, stand_in] : stand_ins_) known.insert(pid);
    return known;
}

bool Agent::is_alone(core::GroupId group) const {
    return std::ranges::all_of(runs_, [group](const auto& entry) {
        return entry.first == group || entry.second->ended();
    });
}

void Agent::on_first(const std::shared_ptr<LocalPeer>& peer, const wire::Json& json,
                     std::vector<wire::Fd> descriptors) {
    using First = std::variant<wire::StarterHello, wire::RankHello>;
    std::visit(
        [&](const auto& hello) {
            const auto it = runs_.find(hello.group);
            if (it == runs_.end() || it->second->ended())
                throw InputError(std::string(hello.name) + " refused: group " +
                                 std::to_string(hello.group.value) + " does not run here");
            if constexpr (std::is_same_v<std::decay_t<decltype(hello)>, wire::StarterHello>)
                it->second->adopt_starter(peer, hello, std::move(descriptors));
            else
                it->second->adopt_rank(peer, hello);
        },
        wire::decode<First>(json));
}

void Agent::on_order(const wire::ToAgent& order) {
    const auto run_of = [this](core::GroupId group) -> GroupRun* {
        const auto it = runs_.find(group);
        return it == runs_.end() || it->second->ended() ? nullptr : it->second.get();
    };
    std::visit(wire::Overloaded{
                   [&](const wire::AgentWelcome& what) {
                       welcome_ = what;
                       broker_.set_timing(what.beat_s, what.beat_limit_s);
                       star_.set_timing(what.beat_s, what.beat_limit_s);
                       orphan_.set_limit(std::chrono::duration<double>(what.orphan_limit_s));
                   },
                   [](const wire::Beat&) {},
                   [&](const wire::StartRun& what) { start_run(what); },
                   [&](const wire::KillRun& what) {
                       if (auto* run = run_of(what.group)) {
                           run->dismiss();
                           run->kill();
                       }
                   },
                   [&](const wire::ToRanks& what) {
                       for (const auto group : what.groups)
                           if (auto* run = run_of(group)) run->to_ranks(what.rank, what.message);
                   },
                   [&](const wire::RunStandIn& what) { run_stand_in(what); },
                   [&](const wire::GroupsLeave& what) {
                       for (const auto group : what.groups)
                           if (auto* run = run_of(group)) {
                               run->dismiss();
                               run->kill_after(std::chrono::duration<double>(
                                   welcome_ ? welcome_->leave_within_s : 0));
                           }
                   },
                   [&](const wire::FinishAgent&) {
                       finish_asked_ = true;
                       consider();
                   },
                   [&](const wire::EndJob& what) { end_all(what.why, 0); },
                   [&](const wire::SignalRanks& what) {
                       for (const auto& [id, run] : runs_) run->signal_ranks(what.signal);
                   },
                   [&](const wire::Deputy& what) { star_.set_deputy(what); },
               },
               order);
}

void Agent::start_run(const wire::StartRun& what) {
    const auto name = "group " + std::to_string(what.group.value);
    if (runs_.contains(what.group))
        return tell(wire::Notice{"order refused: " + name + " has been started here before"});
    std::string why;
    if (!welcome_)
        why = "no welcome came before the order to start " + name;
    else if (ending_)
        why = "the agent is ending";
    if (why.empty()) {
        try {
            auto run = std::make_shared<GroupRun>(around_, what);
            run->start(*welcome_);
            runs_[what.group] = std::move(run);
            return log_(name + " started");
        } catch (const Error& error) {
            why = error.what();
        }
    }
    tell(wire::RunEnded{what.group, 127, 0, why});
}

void Agent::run_stand_in(const wire::RunStandIn& what) {
    try {
        if (!welcome_) throw UsageError("no welcome came before the order to run a stand-in");
        auto stand_in = StandIn::start(
            io_, rms::companion("stand-in"), what,
            group_environment(welcome_->environment, {"DUCTILE_AGENT=" + around_.marker}));
        stand_ins_[stand_in->pid()] = stand_in;
    } catch (const Error& error) {
        tell(wire::StandInEnded{what.transaction, false, error.what()});
    }
}

void Agent::tell(const wire::FromAgent& message) {
    broker_.send(message);
    const auto* end = std::get_if<wire::RankEnded>(&message);
    if (end == nullptr) return;
    if (!end->goodbye && !ending_) last_failure_ = *end;
    consider();
}

bool Agent::is_orphaned() const {
    return broker_.state() != BrokerState::connected && broker_.state() != BrokerState::connecting;
}

void Agent::on_broker(BrokerState state) {
    if (finishing_) return;
    if (state == BrokerState::connected) {
        star_failed_ = false;
        stream_.start(broker_.addresses());
    }
    star_.use(is_orphaned());
    if (state == BrokerState::gone) {
        for (const auto& [id, run] : runs_)
            if (!run->ended()) run->to_ranks(core::Rank{-1}, wire::BrokerLost{});
        stream_.stop();
        input_.finish();
        output_.divert(output_path());
    }
    consider();
}

std::string Agent::output_path() const {
    const auto directory = welcome_ ? welcome_->directory : std::string("/tmp");
    return directory + "/ductile-" + around_.job + ".host" + std::to_string(around_.host.value) +
           ".out";
}

// Kills every run; the agent then ends as after FinishAgent.
void Agent::end_all(const std::string& why, int code) {
    if (ending_) return;
    ending_ = true;
    code_ = code;
    log_("ending all: " + why);
    if (code != 0)
        std::fprintf(stderr, "ductile agent on %s: ending what runs here: %s\n",
                     rms::host_name().c_str(), why.c_str());
    if (code != 0 && is_orphaned() && star_.is_deputy()) star_.dismiss(why);
    if (broker_.state() != BrokerState::connected) output_.divert(output_path());
    for (const auto& [pid, stand_in] : stand_ins_) stand_in->kill();
    const auto runs = runs_;
    for (const auto& [id, run] : runs) run->kill();
    consider();
}

bool Agent::all_ended() const {
    return stand_ins_.empty() &&
           std::ranges::all_of(runs_, [](const auto& entry) { return entry.second->ended(); });
}

bool Agent::has_failed() const {
    return std::ranges::any_of(runs_, [](const auto& entry) { return entry.second->has_failed(); });
}

// Whatever has changed: is it time to end?
void Agent::consider() {
    if (finishing_) return;
    if (is_orphaned() && has_failed() && last_failure_) star_.say_failed(*last_failure_);
    watch_orphan();
    if (!all_ended()) return;
    bool over = ending_ || finish_asked_;
    if (!over && broker_.state() == BrokerState::gone && !has_failed() && !star_failed_) {
        // The deputy stays until all have ended, so that nobody misses it.
        star_.say_ended();
        over = runs_.empty() || !star_.knows_deputy() ||
               (star_.is_deputy() ? star_.others_ended() : star_.complete());
    }
    if (!over) return;
    // The stream connection says goodbye, too, even if it has carried nothing.
    const bool carried =
        output_.attached() || output_.diverted() || broker_.state() != BrokerState::connected;
    if (carried && output_.finished()) return finish();
    if (std::exchange(awaiting_output_, true)) return;
    await_output();
}

// A slow reader is waited for; a stream connection that does not come about is not.
void Agent::await_output() {
    finish_timer_.expires_after(stream_patience);
    finish_timer_.async_wait([this](const asio::error_code& error) {
        if (error) return;
        if (!output_.attached()) output_.divert(output_path());
        consider();
        if (!finishing_) await_output();
    });
}

void Agent::watch_orphan() {
    const auto now = Clock::now();
    const Situation situation{broker_.state(), star_.complete(), has_failed() || star_failed_};
    orphan_.update(situation, now);
    const auto deadline = orphan_.deadline();
    if (!deadline || ending_) {
        orphan_timer_.cancel();
        return;
    }
    orphan_timer_.expires_at(*deadline);
    orphan_timer_.async_wait([this](const asio::error_code& error) {
        if (error || finishing_) return;
        const auto still = orphan_.deadline();
        if (!still || *still > Clock::now()) return watch_orphan();
        end_all(orphan_.why() + " (--orphan-limit)", 1);
    });
}

void Agent::finish() {
    finishing_ = true;
    log_("nothing of the job is left here");
    Belonging all;
    all.agent = around_.marker;
    all.unmarked_orphans = true;
    for (int tries = 0; tries < 100; ++tries) {
        const auto left = find_processes(all);
        if (left.empty()) break;
        kill_processes(left);
        ::usleep(10'000);
        while (::waitpid(-1, nullptr, WNOHANG) > 0) {
        }
    }
    orphan_timer_.cancel();
    server_.close();
    if (star_.is_deputy() && is_orphaned() && code_ == 0) star_.dismiss("");
    star_.close();
    finish_timer_.expires_after(goodbye_limit);
    finish_timer_.async_wait([this](const asio::error_code& error) {
        if (!error) io_.stop();
    });
    stream_.finish([this] { broker_.finish([this] { io_.stop(); }); });
}

}  // namespace ductile::agent
