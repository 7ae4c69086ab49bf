#include "broker/broker.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "broker/launch_spec_wire.hpp"
#include "broker/policy_program.hpp"
#include "broker/site_client.hpp"
#include "broker/size_in_range.hpp"
#include "broker/world_name.hpp"

namespace ductile::broker {

namespace {

using namespace std::chrono_literals;

constexpr auto watch_every = 500ms;

/// What the ranks of all groups are told.
wire::RankWelcome group_welcome(const JobSpec& spec) {
    wire::RankWelcome welcome;
    welcome.job = spec.id;
    welcome.progress_s = spec.switch_limits.progress_s;
    welcome.vote_s = spec.switch_limits.vote_s;
    welcome.verify = spec.verify;
    return welcome;
}

/// One process is like a program without Ductile. A job of several sends whole lines, which do not
/// mix, unless a person reads them.
core::PartialLines partial_lines_of(const JobSpec& spec) {
    const bool both = spec.unbuffered || spec.ranks == core::SizeRange::exactly(1);
    return {both || ConsoleOutput::is_terminal(STDOUT_FILENO),
            both || ConsoleOutput::is_terminal(STDERR_FILENO)};
}

/// The agents of a job that is taken over go on as they began, perhaps at a terminal.
ConsoleLines::Setup console_of(const JobSpec& spec, bool is_taken_over) {
    const auto partial = is_taken_over ? core::PartialLines{true, true} : partial_lines_of(spec);
    return {spec.tag, partial, ConsoleOutput::is_one_place()};
}

std::unique_ptr<DecisionSource> policy_of(const JobSpec& spec, asio::io_context& io) {
    if (spec.policy.site) return std::make_unique<SiteClient>(io, *spec.policy.site);
    if (spec.policy.command.empty()) return make_own_policy(spec.policy.kind, spec.policy.goals);
    return std::make_unique<PolicyProgram>(
        io, PolicyProgram::Settings{spec.policy.command, spec.launch.directory, spec.id});
}

}  // namespace

Broker::Broker(JobSpec spec, std::unique_ptr<rms::ResourceManager> rms,
               const std::string& directory, std::string journal_path,
               std::optional<Journal> taken_over)
    : loop_([this] { settle(); }),
      spec_(std::move(spec)),
      journal_(std::move(journal_path), std::move(taken_over)),
      streams_(loop_.io(),
               {[this](bool full) { hosts_.agents().pause_output(full); },
                loop_.heard([this](int error) {
                    if (error == EPIPE)
                        return end_job(128 + SIGPIPE, "nobody reads the output any more");
                    end_job(code_lost,
                            std::string("the output cannot be written: ") + std::strerror(error));
                }),
                [this](const std::string& data) {
                    if (!ledger_.layout().empty())
                        hosts_.agents().send_input(ledger_.leader_host(), data);
                },
                [this]() -> std::optional<std::size_t> {
                    if (ledger_.layout().empty()) return std::nullopt;
                    return hosts_.agents().input_queued(ledger_.leader_host());
                }},
               console_of(spec_, journal_.is_taken_over()),
               spec_.has_stdin && !journal_.is_taken_over()),
      hosts_(loop_.io(), spec_.id, {welcome_of(spec_.launch), partial_lines_of(spec_)},
             std::move(rms), agent_events(), host_callbacks(),
             journal_.is_taken_over()
                 ? std::optional(HostsTakenOver{endpoint_in(journal_.journal()),
                                                journal_.journal().snapshot().hosts})
                 : std::nullopt),
      suspension_(loop_.io(), hosts_.agents()),
      history_(spec_.events, journal_.is_taken_over(), spec_.costs, spec_.power.watts),
      groups_(spec_.mpi, group_welcome(spec_), new_world_name),
      resize_(
          loop_.io(), [this](const resize::Effect& effect) { carry_out(effect); },
          loop_.heard([] {})),
      requests_(spec_),
      policy_(policy_of(spec_, loop_.io()), spec_.policy.every_s),
      server_(std::make_unique<RequestServer>(
          loop_.io(), directory + "/" + socket_name,
          loop_.heard([this](const auto&... arguments) { on_request(arguments...); }))) {
    ::signal(SIGPIPE, SIG_IGN);
    if (!spec_.power.command.empty())
        power_ = std::make_unique<PowerProgram>(loop_.io(), spec_.power.command,
                                                spec_.launch.directory, power_events());
}

AgentEvents Broker::agent_events() {
    return {loop_.heard([this](const auto&... arguments) { on_agent_message(arguments...); }),
            loop_.heard([this](const auto&... arguments) { on_agent_up(arguments...); }),
            loop_.heard([this](const auto&... arguments) { on_agent_lost(arguments...); }),
            loop_.heard([this](const auto&... arguments) { on_agent_gone(arguments...); }),
            [](HostIndex) {},
            [this](HostIndex, const wire::Output& output) { streams_.print(output); },
            [this](HostIndex) { streams_.pull_input(); },
            [this] { return journal("an agent is started"); },
            [this](HostIndex host) {
                if (life_.recovery() == nullptr) return !life_.refused().empty();
                refuse_takeover("the agent of host " + hosts_.name(host) +
                                " was started after the last step in the journal");
                return true;
            }};
}

HostCallbacks Broker::host_callbacks() {
    return {loop_.heard([this](const HostsReady& ready) {
                decide(&ResizeRequests::on_hosts_ready, ready);
            }),
            loop_.heard([this](const HostsDenied& denied) {
                decide(&ResizeRequests::on_hosts_denied, denied);
            }),
            loop_.heard([this](const HostMustGo& must_go) {
                if (life_.is_over()) return;
                carry_out(news_of(must_go, request_context(parts())));
            }),
            [this](const std::string& text) { streams_.notify_user(text); },
            [this](const std::string& step) { return journal(step); }};
}

int Broker::run() {
    if (journal_.is_taken_over())
        resume_job();
    else
        start_job();
    const auto end = [this](int number, bool again) {
        streams_.drop_held();
        if (again) return stop_loop();
        end_job(128 + number, fmt::format("ended by signal {} ({})", number, ::strsignal(number)));
    };
    loop_.hear_signals(
        loop_.heard(end),
        [this](int number) { hosts_.signal(groups_.working(ledger_.layout()), number); },
        [this](int number) {
            if (number == SIGCONT) return suspension_.call_off();
            if (!life_.is_over()) suspension_.begin();
        });
    watch();
    if (journal_.is_taken_over()) suspend_policy("another broker has taken the job over");
    if (policy_.is_on()) ask_policy();
    streams_.begin();
    loop_.changed();
    loop_.run(loop_.heard([this](const std::string& why) {
        end_job(code_lost,
                "an internal error of the broker: " + why + "; the job is ended on all hosts");
    }));
    streams_.drain();
    if (!life_.refused().empty()) throw SystemError(life_.refused());
    return life_.exit_code();
}

// ---- start ----

void Broker::start_job() {
    const auto planned =
        plan_first_world(spec_.ranks, hosts_.table().allocation(), requests_.limits());
    const auto* refused = std::get_if<Refused>(&planned);
    const bool may_ask =
        hosts_.come_and_go() && hosts_to_start(spec_.ranks, requests_.limits(), 1, Aim::smallest,
                                               hosts_.table().allocation().total_slots());
    if (refused != nullptr && !may_ask) throw InputError(refused->why);
    journal_.create(spec_.origin, spec_.id, hosts_.agents().endpoint());
    if (refused != nullptr)
        decide(&ResizeRequests::ask_for_first_hosts, Aim::largest);
    else
        start_world(std::get<core::Group>(planned));
    life_.begin();
}

void Broker::start_world(const core::Group& group) {
    resize::ResizePlan plan;
    plan.added = {group};
    plan.after = core::Layout::of(plan.added).on(hosts_.table().allocation());
    groups_.allot_local_ranks(plan);
    ledger_.begin(plan.after);
    history_.event("job_started", {{"job", spec_.id},
                                   {"ranks", ledger_.layout().size()},
                                   {"hosts", static_cast<int>(ledger_.layout().hosts().size())},
                                   {"program", spec_.launch.program},
                                   {"mpi", spec_.mpi.implementation + " " + spec_.mpi.version},
                                   {"rms", hosts_.describe()}});
    open_resize(std::move(plan));
    resize_.tell(resize::Begin{});
}

void Broker::begin_job() {
    life_.run();
    groups_.make_members(ledger_.layout().groups());
    journal("the job runs");
    hosts_.send_to(ledger_.layout().active,
                   wire::Commit{core::TransactionId{0}, 0, wire::LayoutFields(ledger_.layout())});
    history_.event("job_running",
                   {{"ranks", ledger_.layout().size()}, {"since_start_s", history_.seconds()}});
    hosts_.announce_coordinator(ledger_.leader_host(), ledger_.layout().hosts());
    streams_.pull_input();
}

// ---- what follows from any event, or from none ----

void Broker::settle() {
    if (life_.is<life::Ended>() || !life_.refused().empty()) return;
    if (const auto* recovery = life_.recovery(); recovery != nullptr && recovery->is_complete())
        settle_recovery();
    for (const auto& freed :
         requests_.freed().check([this](HostIndex host) { return fate_of(host, parts()); },
                                 [this](HostIndex host) { return hosts_.name(host); }))
        answer(freed.askers, {ReplyKind::done, freed.text});
    finish_agents_at_end();
    if (life_.is<life::Ended>() || life_.recovery() != nullptr) return;
    if (!hosts_.table().revoked().empty()) decide(&ResizeRequests::leave_revoked_hosts);
    for (const auto host : idle_hosts(parts())) hosts_.finish(host);
    while (!requests_.queue().is_empty()) {
        RequestEffects effects;
        if (!requests_.start_next(request_context(parts()), effects)) break;
        carry_out(effects);
    }
    hosts_.give_back_idle(
        [this](HostIndex host) { return is_idle_host_needed(host, requests_.queue(), resize_); });
    decide(&ResizeRequests::renew_if_degraded);
    loop_.arm_until(BrokerLoop::Timer::renewal,
                    renewal_at(requests_.queue(), request_context(parts())),
                    [] {});  // settle() follows, as after any event
    loop_.arm_until(BrokerLoop::Timer::spawns, groups_.spawns_until(), [this] {
        GroupEffects late;
        groups_.give_up_late_spawns(os::JobClock::now(), late);
        carry_out(late);
    });
}

// No event reports that the directory was removed.
void Broker::watch() {
    if (server_->has_vanished())
        streams_.notify_user(fmt::format(
            "the job's directory {} was removed while the job runs: no command can reach the job "
            "any more, and no other broker can take it over. The program runs on; to end it send "
            "SIGTERM to process {}",
            std::filesystem::path(journal_.path()).parent_path().string(), ::getpid()));
    loop_.arm(BrokerLoop::Timer::watch, watch_every, [this] { watch(); });
}

std::optional<std::string> Broker::journal(const std::string& step) {
    // An entry written now would hide the state that the recovery still has to settle.
    if (life_.recovery() != nullptr) return std::nullopt;
    auto written = journal_.record(step, snapshot_of(parts()));
    if (!written.notice.empty()) streams_.notify_user(written.notice);
    return std::move(written.failed);
}

}  // namespace ductile::broker
