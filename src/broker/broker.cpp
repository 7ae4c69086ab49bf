#include "broker/broker.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <asio/post.hpp>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "broker/launch_spec_wire.hpp"
#include "broker/size_in_range.hpp"
#include "broker/world_name.hpp"
#include "wire/event_loop.hpp"
#include "wire/psk.hpp"

namespace ductile::broker {

namespace {

using namespace std::chrono_literals;

constexpr auto end_within = 10s;
constexpr auto absent_within = 1s;  ///< for agents that were just started to connect
constexpr auto watch_every = 500ms;
constexpr auto watch_every_when_busy = 20ms;

/// What the ranks of all groups are told.
wire::RankWelcome group_welcome(const JobSpec& spec) {
    wire::RankWelcome welcome;
    welcome.job = spec.id;
    welcome.progress_s = spec.progress_s;
    welcome.vote_s = spec.vote_s;
    return welcome;
}

}  // namespace

Broker::Broker(JobSpec spec, std::unique_ptr<rms::ResourceManager> rms,
               const std::string& directory, std::string journal_path,
               std::optional<Journal> taken_over)
    : spec_(std::move(spec)),
      journal_(std::move(journal_path), std::move(taken_over),
               [this](const std::string& text) { streams_.notify_user(text); }),
      streams_(io_,
               {[this](bool full) { hosts_.agents().pause_output(full); },
                [this](int error) {
                    if (error == EPIPE)
                        return end_job(128 + SIGPIPE, "nobody reads the output any more");
                    end_job(code_lost,
                            std::string("the output cannot be written: ") + std::strerror(error));
                },
                [this](const std::string& data) {
                    if (!ledger_.layout.empty())
                        hosts_.agents().send_input(ledger_.leader_host(), data);
                },
                [this]() -> std::optional<std::size_t> {
                    if (ledger_.layout.empty()) return std::nullopt;
                    return hosts_.agents().input_queued(ledger_.leader_host());
                }},
               spec_.tag, !journal_.is_taken_over()),
      hosts_(io_, spec_.id, welcome_of(spec_.launch), std::move(rms), agent_events(), host_news(),
             journal_.is_taken_over()
                 ? std::optional(HostsTakenOver{endpoint_in(journal_.journal()),
                                                journal_.journal().snapshot().hosts})
                 : std::nullopt),
      history_(spec_.events, journal_.is_taken_over(),
               [this](HostIndex host) { return hosts_.name(host); }),
      groups_(spec_.mpi, group_welcome(spec_), new_world_name),
      requests_(spec_.limits, spec_.asking, spec_.ranks, spec_.renew_after_s,
                [this](const std::string& text) { streams_.notify_user(text); }),
      freed_(spec_.mpi.implementation),
      server_(std::make_unique<RequestServer>(
          io_, directory + "/" + socket_name,
          [this](const wire::Request& request, const RequestServer::Respond& respond) {
              on_request(request, respond);
              changed();
          })),
      signals_(io_),
      watch_timer_(io_) {
    for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) signals_.add(number);
    ::signal(SIGPIPE, SIG_IGN);
}

Broker::~Broker() = default;

AgentEvents Broker::agent_events() {
    return {
        [this](HostIndex host, const wire::FromAgent& message) { on_agent_message(host, message); },
        [this](HostIndex host) { on_agent_up(host), changed(); },
        [this](HostIndex host, const std::string& why) { on_agent_lost(host, why), changed(); },
        [this](HostIndex host) { on_agent_gone(host), changed(); },
        [](HostIndex) {},
        [this](HostIndex, const wire::Output& output) { streams_.print(output); },
        [this] { return journal_step("an agent is started"); },
        [this](HostIndex host) {
            if (!recovery_) return false;
            refuse_takeover("an agent of host " + hosts_.name(host) +
                            " runs, and the journal knows of none that was started so late");
            return true;
        }};
}

HostNews Broker::host_news() {
    return {[this](const HostsReady& ready) {
                RequestEffects effects;
                requests_.on_hosts_ready(ready, request_context(), effects);
                carry_out(effects);
                changed();
            },
            [this](const HostsDenied& denied) {
                RequestEffects effects;
                requests_.on_hosts_denied(denied, request_context(), effects);
                carry_out(effects);
                changed();
            },
            [this](const HostMustGo& must_go) {
                if (is<Ending>() || is<Ended>()) return;
                carry_out(news_of(must_go, request_context()));
                changed();
            },
            [this](const std::string& text) { streams_.notify_user(text); },
            [this](const std::string& step) { return journal_step(step); }};
}

int Broker::run() {
    if (journal_.is_taken_over())
        resume_job();
    else
        start_job();
    on_signal(0);
    watch();
    streams_.begin();
    changed();
    wire::run_to_end(io_, [this](const std::string& why) {
        end_job(code_lost,
                "an internal error of the broker: " + why + "; the job is ended on all hosts");
    });
    streams_.drain();
    if (!takeover_refused_.empty()) throw SystemError(takeover_refused_);
    return exit_code_;
}

void Broker::arm(std::optional<asio::steady_timer>& timer, std::chrono::milliseconds after,
                 std::function<void()> what) {
    timer.emplace(io_, after);
    timer->async_wait([this, what = std::move(what)](const std::error_code& error) {
        if (error) return;
        what();
        changed();
    });
}

// ---- start ----

void Broker::start_job() {
    const auto planned =
        plan_first_world(spec_.ranks, hosts_.table().allocation(), requests_.limits());
    const auto* refused = std::get_if<Refused>(&planned);
    const bool may_ask =
        hosts_.come_and_go() && hosts_to_start(spec_.ranks, requests_.limits(), 1, Aim::smallest);
    if (refused != nullptr && !may_ask) throw InputError(refused->why);
    journal_.create(spec_.origin, spec_.id, hosts_.agents().endpoint());
    RequestEffects effects;
    if (refused != nullptr)
        requests_.ask_for_first_hosts(Aim::largest, request_context(), effects);
    else
        effects.push_back(StartWorld{std::get<core::Group>(planned)});
    carry_out(effects);
    begun_ = true;
}

void Broker::start_world(const core::Group& group) {
    resize::ResizePlan plan;
    plan.added = {group};
    plan.after = core::Layout::of(plan.added);
    ledger_.layout = plan.after;
    history_.event("job_started", {{"job", spec_.id},
                                   {"ranks", ledger_.layout.size()},
                                   {"hosts", ledger_.layout.hosts().size()},
                                   {"program", spec_.launch.program},
                                   {"mpi", spec_.mpi.implementation + " " + spec_.mpi.version},
                                   {"rms", hosts_.describe()}});
    open_resize(std::move(plan));
    tell(resize::Begin{});
}

void Broker::begin_job() {
    life_ = Running{};
    groups_.make_members(ledger_.layout.groups());
    journal_fact("the job runs");
    send_to(ledger_.layout.active,
            wire::Commit{core::TransactionId{0}, 0, wire::LayoutFields(ledger_.layout)});
    history_.event("job_running",
                   {{"ranks", ledger_.layout.size()}, {"since_start_s", history_.seconds()}});
    announce_coordinator();
    streams_.pull_input();
}

void Broker::announce_coordinator() {
    if (ledger_.layout.empty()) return;
    const auto host = ledger_.leader_host();
    if (const auto* hello = hosts_.agents().hello(host))
        hosts_.agents().send_to_all(
            wire::Coordinator{host, hello->addresses, hello->port, ledger_.layout.hosts()});
}

// ---- what follows from any event ----

void Broker::changed() {
    if (std::exchange(settling_, true)) return;
    asio::post(io_, [this] {
        settling_ = false;
        settle();
    });
}

void Broker::settle() {
    if (is<Ended>()) return;
    answer_freed();
    finish_agents_at_end();
    if (is<Ended>() || recovery_) return;
    leave_revoked_hosts();
    finish_idle_agents();
    start_next_request();
    give_back_idle_hosts();
}

// The job is over when its groups are, or when it was ended and no agent is left.
void Broker::finish_agents_at_end() {
    if (!is<Ending>() && (recovery_ || !groups_.table().all().empty())) return;
    if (is<Starting>() && requests_.queue().awaiting()) return;
    if (const auto found = failures_.blame()) end_job(found->code, found->why);
    if (hosts_.agents().hosts().empty()) return stop_loop();
    if (is<Ending>() || is_resizing()) return;
    hosts_.end();
    for (const auto host : hosts_.agents().hosts()) hosts_.finish(host);
}

void Broker::finish_idle_agents() {
    if (spec_.mpi.keeps_daemons) return;  // of which the agents are the parents
    for (const auto host : hosts_.agents().hosts()) {
        if (groups_.table().any_on(host) || !hosts_.agents().is_up(host)) continue;
        if (requests_.queue().keeps(host) && !hosts_.table().revoked().contains(host)) continue;
        // Groups of a blocking resize start there once the program has come to its point.
        if (open_ && !open_->operation.is_undoing() &&
            open_->operation.plan().after.ranks_on(host) > 0)
            continue;
        hosts_.finish(host);
    }
}

// A host is given back when its agent has gone, or, by this job, to the next resize, which may take
// it before that.
void Broker::answer_freed() {
    const auto fate = [this](HostIndex host) {
        const auto holds = [host](const core::Layout& layout) { return layout.ranks_on(host) > 0; };
        if (holds(ledger_.layout) || (open_ && holds(open_->operation.plan().after)))
            return FreedHosts::Fate::taken;
        if (!hosts_.agents().has(host)) return FreedHosts::Fate::free;
        return spec_.mpi.keeps_daemons && !groups_.table().any_rank_on(host)
                   ? FreedHosts::Fate::empty
                   : FreedHosts::Fate::busy;
    };
    freed_.check(fate, [this](HostIndex host) { return hosts_.name(host); });
}

// ---- the end ----

void Broker::end_job(int code, const std::string& why) {
    if (is<Ending>() || is<Ended>()) return;
    life_ = Ending{why};
    failures_.blame();
    recovery_.reset();
    note_failure(code);
    journal_fact("the job is ended");
    streams_.notify_user(why);
    history_.event("job_ending", {{"code", code}, {"why", why}});
    const std::string text = "the job has ended: " + why;
    if (open_) {
        if (const auto reply = open_->take_reply()) reply(wire::ReplyKind::failed, text);
        open_.reset();
    }
    drop_requests(wire::ReplyKind::failed, text);
    hosts_.end();
    hosts_.agents().send_to_all(wire::EndJob{why.substr(0, wire::limits::text_bytes)});
    arm(end_timer_, end_within, [this] {
        for (const auto host : hosts_.agents().hosts())
            streams_.notify_user("host " + hosts_.name(host) +
                                 " did not answer; its agent ends the job there by itself");
        stop_loop();
    });
    arm(absent_timer_, absent_within, [this] {
        hosts_.agents().give_up_on_absent("the job has ended before its agent connected");
    });
    changed();
}

void Broker::note_failure(int code) {
    if (exit_code_ != 0) return;
    exit_code_ = code;
    journal_fact("a rank has failed");
}

void Broker::stop_loop() {
    life_ = Ended{};
    history_.event(
        "job_ended",
        {{"code", exit_code_}, {"seconds", history_.seconds()}, {"resizes", history_.resizes()}});
    io_.stop();
}

void Broker::on_signal(int signal) {
    if (signal != 0) {
        if (++signals_seen_ > 1) return stop_loop();
        end_job(128 + signal, fmt::format("ended by signal {} ({})", signal, ::strsignal(signal)));
    }
    signals_.async_wait([this](const std::error_code& error, int number) {
        if (!error) on_signal(number);
    });
}

// ---- what no event tells ----

void Broker::watch() {
    const bool busy = streams_.wants_input() || hosts_.any_finishing();
    watch_timer_.expires_after(busy ? watch_every_when_busy : watch_every);
    watch_timer_.async_wait([this](const std::error_code& error) {
        if (error) return;
        hosts_.drop_late();
        check_directory();
        streams_.pull_input();
        renew_if_degraded();
        watch();
    });
}

void Broker::check_directory() {
    if (directory_missed_ || server_->is_reachable()) return;
    directory_missed_ = true;
    streams_.notify_user(
        fmt::format("the job's directory {} was removed while the job runs: no command can reach "
                    "the job any more, and no other broker can take it over. The program runs on; "
                    "to end it send SIGTERM to process {}",
                    std::filesystem::path(journal_.path()).parent_path().string(), ::getpid()));
}

// ---- the journal ----

std::optional<std::string> Broker::journal_step(const std::string& step) {
    // What is journaled meanwhile would hide what is still to be settled.
    if (recovery_) return std::nullopt;
    return journal_.record(step, snapshot());
}

Snapshot Broker::snapshot() const {
    Snapshot now;
    now.stage = is<Starting>()    ? Stage::starting
                : is<Finishing>() ? Stage::finishing
                : is<Ending>()    ? Stage::ending
                                  : Stage::running;
    now.hosts = hosts_.table().state();
    now.layout = ledger_.layout;
    now.given_back = ledger_.given_back;
    for (const auto& [id, state] : groups_.table().all())
        now.groups.push_back({state.group, state.launcher_group, state.role});
    const auto& agents = hosts_.agents();
    for (const auto host : agents.hosts()) now.agents.push_back({host, agents.generation(host)});
    if (open_) now.open = open_->operation;
    const auto* next =
        open_ ? (open_->next ? &*open_->next : nullptr) : requests_.queue().next_step();
    if (next != nullptr) {
        now.next = next->request;
        now.next_continues = next->continues;
    }
    if (const auto& awaiting = requests_.queue().awaiting())
        now.awaiting = KnownAwaiting{awaiting->asked.request, awaiting->asked.continues,
                                     awaiting->id, awaiting->hosts, awaiting->aim};
    now.generations = agents.generations();
    now.next_group = ledger_.next_group;
    now.mpi_worlds_seen = ledger_.mpi_worlds_seen;
    now.next_transaction = ledger_.next_transaction;
    now.health = static_cast<int>(ledger_.health);
    now.exit_code = exit_code_;
    if (const auto* ending = std::get_if<Ending>(&life_))
        now.end_why = ending->why.substr(0, wire::limits::text_bytes);
    now.code = requests_.code_options();
    return now;
}

}  // namespace ductile::broker
