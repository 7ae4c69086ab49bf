#include "broker/broker.hpp"

#include <fmt/format.h>
#include <signal.h>

#include <algorithm>

#include "plan/launch_plan.hpp"
#include "wire/psk.hpp"

namespace ductile::broker {

namespace {

using namespace std::chrono_literals;

constexpr int code_lost = 125;  // no rank says why
constexpr auto end_within = 10s;
constexpr auto suspect_for = 300ms;
constexpr auto agent_end_within = 15s;

}  // namespace

Broker::Broker(JobSpec spec, std::unique_ptr<rms::ResourceManager> rms,
               const std::string& socket_path)
    : spec_(std::move(spec)),
      rms_(std::move(rms)),
      events_(spec_.events),
      console_(
          io_, [this](bool full) { agents_.pause_output(full); },
          [this] { end_job(128 + SIGPIPE, "nobody reads the output any more"); }),
      agents_(io_, spec_.id, *rms_,
              {15s, std::chrono::milliseconds(static_cast<int>(spec_.launch.beat_s * 1000)),
               std::chrono::milliseconds(static_cast<int>(spec_.launch.beat_limit_s * 1000))},
              {[this](HostIndex host, const wire::FromAgent& message) {
                   on_agent_message(host, message);
               },
               [this](HostIndex host) { on_agent_up(host); },
               [this](HostIndex host, const std::string& why) { on_agent_lost(host, why); },
               [this](HostIndex host) { on_agent_gone(host); },
               [this](HostIndex, const wire::Output& output) { on_output(output); }}),
      requests_(std::make_unique<RequestServer>(
          io_, socket_path,
          [this](const wire::Request& request, const RequestServer::Respond& respond) {
              on_request(request, respond);
          })),
      signals_(io_, SIGINT, SIGTERM, SIGHUP),
      ticker_(io_),
      limits_(spec_.limits) {
    agents_.set_welcome(spec_.launch);
    ::signal(SIGPIPE, SIG_IGN);
}

Broker::~Broker() = default;

int Broker::run() {
    start_job();
    on_signal(0);
    wait_for_tick();
    console_.read_input([this](const std::string& data) { on_input(data); });
    io_.run();
    console_.drain(10);
    return exit_code_;
}

core::Allocation Broker::room() const {
    return rms_->allocation();
}

std::string Broker::host_name(HostIndex host) const {
    return rms_->allocation().at(host).name;
}

void Broker::say(const std::string& text) {
    console_.write(2, "ductile: " + text + "\n");
}

// ---- start ----

std::vector<core::Group> Broker::plan_start() const {
    // Logical hosts are one machine, which mpiexec would not take for several.
    if (spec_.one_world && rms_->logical()) return {{core::GroupId{0}, HostIndex{0}, spec_.ranks}};
    const auto planned = plan::plan_launch({}, room(), spec_.ranks, core::GroupId{0});
    if (const auto* refusal = std::get_if<plan::ExpandRefusal>(&planned))
        throw InputError(refusal->reason);
    auto groups = std::get<plan::LaunchPlan>(planned).added;
    if (!spec_.one_world) return groups;
    const auto world = plan::as_one_world(groups);
    for (const auto& share : world.shares())
        if (world.spans_hosts() && host_name(share.host).find(':') != std::string::npos)
            throw InputError("cannot start one world over host " + host_name(share.host) +
                             ": mpiexec takes no IPv6 address in its list of hosts; list the host "
                             "by its name");
    return {world};
}

void Broker::start_job() {
    const auto groups = plan_start();
    if (const auto why = objection(limits_, spec_.ranks))
        throw InputError("cannot start the job: " + *why);
    const int limit = spec_.mpi.max_worlds_in_communicator;
    if (limit != 0 && static_cast<int>(groups.size()) >= limit)
        throw InputError(fmt::format(
            "cannot start {} groups: {} {} allows fewer than {} worlds in one communicator; "
            "use fewer hosts, or --one-world for a job that is not resized",
            groups.size(), spec_.mpi.implementation, spec_.mpi.version, limit));
    next_group_ = static_cast<int>(groups.size());
    layout_.groups = groups;
    start_forming_.emplace(groups);
    input_group_ = groups.front().id;
    wire::RankWelcome welcome;
    welcome.job = spec_.id;
    welcome.role = wire::Role::initial;
    welcome.added = wire::to_fields(groups);
    events_.record("job_started", {{"job", spec_.id},
                                   {"ranks", spec_.ranks},
                                   {"hosts", layout_.hosts().size()},
                                   {"program", spec_.launch.program},
                                   {"mpi", spec_.mpi.implementation + " " + spec_.mpi.version},
                                   {"rms", rms_->describe()}});
    start_groups(groups, welcome);
}

void Broker::start_groups(const std::vector<core::Group>& groups, const wire::RankWelcome& base) {
    wire::RankWelcome welcome = base;
    welcome.progress_s = spec_.progress_s;
    welcome.vote_s = spec_.vote_s;
    std::map<HostIndex, std::vector<wire::StartRun>> runs;
    for (const auto& group : groups) {
        groups_.add(group);
        int first = 0;
        for (const auto& share : group.shares()) {
            const bool leads = first == 0;
            runs[share.host].push_back({group.id, share.ranks, leads && input_group_ == group.id,
                                        welcome, first,
                                        leads ? world_of(group) : std::vector<wire::WorldHost>{}});
            first += share.ranks;
        }
    }
    for (const auto& [host, on_host] : runs) {
        if (agents_.is_up(host)) {
            for (const auto& run : on_host) agents_.send(host, run);
        } else {
            agents_.start(host, on_host);
        }
    }
}

std::vector<wire::WorldHost> Broker::world_of(const core::Group& group) const {
    std::vector<wire::WorldHost> world;
    if (!group.spans_hosts()) return world;
    for (const auto& share : group.shares())
        world.push_back({share.host, host_name(share.host), share.ranks});
    return world;
}

void Broker::on_agent_up(HostIndex host) {
    for (const auto& [id, state] : groups_.all()) {
        if (!state.is_on(host)) continue;
        if (state.role == GroupRole::undone) agents_.send(host, wire::KillRun{id});
        const auto proxy = state.proxies.find(host);
        if (proxy != state.proxies.end()) agents_.send(host, proxy->second);
    }
    if (state_ == State::ending) agents_.send(host, wire::EndJob{end_why_});
    finish_idle_agents();
}

void Broker::begin_job() {
    for (const auto& group : layout_.groups) groups_.find(group.id)->role = GroupRole::member;
    send_to_groups(layout_.groups,
                   wire::Commit{core::TransactionId{0}, 0, wire::to_fields(layout_.groups)});
    start_forming_.reset();
    state_ = State::running;
    events_.record(
        "job_running",
        {{"ranks", layout_.size()},
         {"since_start_s", std::chrono::duration<double>(Clock::now() - started_).count()}});
    announce_deputy();
    ask_for_input();
    start_next_request();
}

void Broker::announce_deputy() {
    if (layout_.empty()) return;
    const auto host = layout_.groups.front().host;
    const auto* hello = agents_.hello(host);
    if (hello == nullptr) return;
    agents_.send_to_all(wire::Deputy{host, hello->addresses, hello->port, layout_.hosts()});
}

// ---- messages ----

void Broker::send_to_groups(const std::vector<core::Group>& groups, const wire::ToRank& message) {
    std::map<HostIndex, std::vector<core::GroupId>> by_host;
    for (const auto& group : groups)
        for (const auto& share : group.shares()) by_host[share.host].push_back(group.id);
    for (const auto& [host, ids] : by_host)
        agents_.send(host, wire::ToRanks{ids, core::Rank{-1}, message});
}

void Broker::send_to_rank(core::GroupId group, core::Rank rank, const wire::ToRank& message) {
    if (const auto* state = groups_.find(group))
        agents_.send(state->group.host_of(rank), wire::ToRanks{{group}, rank, message});
}

void Broker::send_to_hosts_of(core::GroupId group, const wire::ToAgent& message) {
    const auto* state = groups_.find(group);
    if (state == nullptr) return;
    for (const auto& share : state->group.shares())
        if (state->is_on(share.host)) agents_.send(share.host, message);
}

void Broker::on_agent_message(HostIndex host, const wire::FromAgent& message) {
    std::visit(wire::Overloaded{
                   [&](const wire::FromRanks& m) {
                       if (groups_.find(m.group, m.rank) == nullptr)
                           return;  // of a group that is over
                       on_rank_message(m.group, m.rank, m.message);
                   },
                   [&](const wire::RankEnded& m) { on_rank_ended(m); },
                   [&](const wire::RunEnded& m) { on_run_ended(host, m); },
                   [&](const wire::ProxyWanted& m) { on_proxy_wanted(host, m); },
                   [&](const wire::StandInEnded& m) { on_stand_in_ended(m); },
                   [&](const wire::Notice& m) { say(host_name(host) + ": " + m.text); },
                   [](const auto&) {},
               },
               message);
}

void Broker::on_rank_message(core::GroupId group, core::Rank rank, const wire::FromRank& message) {
    auto& rank_state = *groups_.find(group, rank);
    const auto of_transaction = [this](core::TransactionId id) {
        return transaction_ && transaction_->id == id;
    };
    std::visit(
        wire::Overloaded{
            [&](const wire::RankHello&) {
                rank_state.hello = true;
                if (start_forming_)
                    advance_forming(start_forming_->hello(group));
                else if (is_newcomer(group))
                    advance_forming(transaction_->forming->hello(group));
            },
            [&](const wire::Ready& m) { on_ready(group, m); },
            [&](const wire::RoundDone& m) {
                if (start_forming_)
                    advance_forming(start_forming_->round_done(group, m.round));
                else if (is_newcomer(group))
                    advance_forming(transaction_->forming->round_done(group, m.round));
            },
            [&](const wire::Formed&) {
                if (start_forming_)
                    begin_job();
                else if (is_newcomer(group))
                    on_formed();
            },
            [&](const wire::BridgePort& m) {
                if (!of_transaction(m.transaction)) return;
                transaction_->port = m.port;
                bridge_if_ready();
            },
            [&](const wire::Entering& m) {
                if (!of_transaction(m.transaction) || !is_newcomer(group) || transaction_->undoing)
                    return;
                transaction_->accepting = true;
                transaction_->accept_within(1s);
                send_to_rank(layout_.groups.front().id, core::Rank{0},
                             wire::AcceptBridge{m.transaction});
            },
            [&](const wire::Bridged& m) {
                if (of_transaction(m.transaction)) on_bridged(group, m);
            },
            [&](const wire::PointAnswer& m) {
                if (of_transaction(m.transaction)) on_answer(group, rank, m);
            },
            [&](const wire::Arrived& m) {
                if (of_transaction(m.transaction)) on_arrived();
            },
            [&](const wire::Progress& m) {
                if (of_transaction(m.transaction))
                    transaction_->set_deadline(
                        std::chrono::duration<double>(spec_.progress_s + spec_.vote_s),
                        "the switch did not end");
            },
            [&](const wire::SwitchDone& m) {
                if (of_transaction(m.transaction)) on_switch_done(group, rank, m);
            },
            [&](const wire::Pace& m) {
                pace_before_ = pace_;
                pace_ = m;
                events_.record(
                    "pace",
                    {{"points", m.count}, {"clock_s", m.time_s}, {"ranks", layout_.size()}});
            },
            [&](const wire::CodeOptions& m) {
                Limits code;
                code.min = {m.min, Origin::code};
                code.max = {m.max, Origin::code};
                code.preferred = {m.preferred, Origin::code};
                code.multiple = {m.multiple, Origin::code};
                code.inhibitor_points = {m.inhibitor_points, Origin::code};
                code.inhibitor_s = {m.inhibitor_s, Origin::code};
                if (const auto refused = merge_code(limits_, code))
                    say(*refused + "; the program's holds");
            },
            [&](const wire::Goodbye&) {
                rank_state.goodbye = true;
                if (groups_.find(group)->role == GroupRole::member) on_program_ending();
            },
        },
        message);
}

// ---- ends and deaths ----

// A member has ended its Job, so no rank will enter another resize point.
void Broker::on_program_ending() {
    if (state_ == State::running) {
        state_ = State::finishing;
        for (auto& waiting : pending_)
            waiting.respond({wire::ReplyKind::refused, "the program has ended", {}}, true);
        pending_.clear();
    }
    if (!transaction_ || transaction_->undoing || transaction_->phase == Phase::switching) return;
    const auto has_finished = [this](const core::Group& group) {
        const auto* state = groups_.find(group.id);
        return state == nullptr ||
               std::all_of(state->ranks.begin(), state->ranks.end(),
                           [](const RankState& rank) { return rank.goodbye || rank.ended; });
    };
    // An announced point is final while anybody may still reach it.
    if (transaction_->phase < Phase::waiting ||
        std::all_of(layout_.groups.begin(), layout_.groups.end(), has_finished))
        roll_back("the program has ended");
}

void Broker::note_failure(int code) {
    if (exit_code_ == 0) exit_code_ = code;
}

void Broker::on_rank_ended(const wire::RankEnded& ended) {
    auto* rank = groups_.find(ended.group, ended.rank);
    if (rank == nullptr || rank->ended) return;
    rank->ended = true;
    const auto role = groups_.find(ended.group)->role;
    const int code = ended.signal != 0 ? 128 + ended.signal : ended.code;
    const std::string who =
        fmt::format("rank g{}.{} on {}", ended.group.value, ended.rank.value,
                    host_name(groups_.find(ended.group)->group.host_of(ended.rank)));
    events_.record("rank_ended", {{"group", ended.group.value},
                                  {"rank", ended.rank.value},
                                  {"code", ended.code},
                                  {"signal", ended.signal},
                                  {"goodbye", ended.goodbye}});
    if (state_ == State::ending || role == GroupRole::undone) return;
    if (is_newcomer(ended.group)) return newcomer_lost(who + " has ended before it was a member");
    // Also after its goodbye: a rank that MPI told of a lost peer may be on its way out.
    if (groups_.find(ended.group)->group.spans_hosts() && ended.signal == SIGKILL &&
        !ended.why.empty())
        return suspect(code, fmt::format("{} was ended by signal {} ({}): {}; the job is ended on "
                                         "all hosts",
                                         who, ended.signal, ::strsignal(ended.signal), ended.why));
    if (role == GroupRole::leaver || ended.goodbye) {
        if (code != 0) {
            note_failure(code);
            say(fmt::format("{} has ended with code {}", who, code));
        }
        return;
    }
    if (!ended.why.empty()) return fail_job(who, code, ended.signal, ended.why);
    if (ended.hello || code != 0) return fail_job(who, code, ended.signal, "");
    // A program that makes no Job: as one world it is an ordinary MPI program, as several it
    // computes nonsense.
    if (layout_.groups.size() > 1)
        end_job(code_lost, who + " has ended without making a ductile::Job; this job runs as " +
                               std::to_string(layout_.groups.size()) +
                               " worlds, one a host, which a plain MPI program cannot use: run it "
                               "with --one-world");
}

void Broker::suspect(int code, const std::string& why) {
    if (suspect_) return;
    suspect_ = Suspect{why, code, Clock::now() + suspect_for};
    ticker_.cancel();
    wait_for_tick();
}

void Broker::blame_suspect() {
    const auto found = std::exchange(suspect_, std::nullopt);
    if (found) end_job(found->code, found->why);
}

void Broker::fail_job(const std::string& who, int code, int signal, const std::string& why) {
    std::string how = signal != 0
                          ? fmt::format("was ended by signal {} ({})", signal, ::strsignal(signal))
                      : code != 0 ? fmt::format("has ended with code {}", code)
                                  : "has ended without ending its Job";
    if (!why.empty()) how += ": " + why;
    end_job(code != 0 ? code : code_lost, who + " " + how + "; the job is ended on all hosts");
}

// mpiexec on a group's first host wants its proxy on another one: that host's agent starts it, once
// it is there.
void Broker::on_proxy_wanted(HostIndex host, const wire::ProxyWanted& wanted) {
    auto* state = groups_.find(wanted.group);
    if (state == nullptr || state_ == State::ending) return;
    if (state->group.host != host || wanted.host == host || !state->is_on(wanted.host))
        throw InputError(fmt::format("group g{} has no proxy to start on host {}",
                                     wanted.group.value, wanted.host.value));
    const wire::StartProxy order{wanted.group, wanted.argv};
    if (agents_.is_up(wanted.host)) return agents_.send(wanted.host, order);
    state->proxies.insert_or_assign(wanted.host, order);
}

void Broker::on_run_ended(HostIndex host, const wire::RunEnded& ended) {
    auto* state = groups_.find(ended.group);
    if (state == nullptr || !state->is_on(host)) return;
    const auto role = state->role;
    const bool first = state->group.host == host;  // where mpiexec itself ran, for all of it
    const bool complete = first ? state->all_ended() : state->all_ended_on(host);
    const bool newcomer = is_newcomer(ended.group);
    const bool spans = state->group.spans_hosts();
    state->over_on.insert(host);
    if (state->is_over())
        groups_.erase(ended.group);
    else if (complete)
        on_part_ended(*state, host, ended);
    if (state_ != State::ending) {
        const std::string text = ended.text.empty() ? "" : ": " + ended.text;
        const int code = ended.signal != 0 ? 128 + ended.signal
                         : ended.code != 0 ? ended.code
                                           : code_lost;
        const std::string what =
            fmt::format("the {} of group g{} on {}", first ? "launcher run" : "launcher's proxy",
                        ended.group.value, host_name(host));
        const auto under_ranks =
            what + " has ended under its ranks" + text + "; the job is ended on all hosts";
        if (newcomer)
            newcomer_lost(what + " has ended" + text);
        else if (suspect_ && ended.signal != 0)
            end_job(code, fmt::format("{} was ended by signal {} ({}); the job is ended on all "
                                      "hosts",
                                      what, ended.signal, ::strsignal(ended.signal)));
        else if (role != GroupRole::undone && role != GroupRole::leaver && !complete && spans)
            suspect(code, under_ranks);
        else if (role != GroupRole::undone && role != GroupRole::leaver && !complete)
            end_job(code, under_ranks);
    }
    if (transaction_ && transaction_->undoing) finish_undoing();
    finish_if_all_ended();
    finish_idle_agents();
}

// In order, of a group that spans hosts and is not over yet: mpiexec waits for all its proxies, and
// none of them has anything to do without it.
void Broker::on_part_ended(const GroupState& state, HostIndex host, const wire::RunEnded& ended) {
    if (host == state.group.host)
        send_to_hosts_of(ended.group, wire::KillRun{ended.group});
    else
        agents_.send(state.group.host, wire::ProxyEnded{ended.group, host, ended.code});
}

void Broker::on_agent_lost(HostIndex host, const std::string& why) {
    finishing_.erase(host);
    std::vector<core::GroupId> over;
    bool members = false;
    bool newcomers = false;
    for (auto& [id, state] : groups_.all()) {
        if (!state.is_on(host)) continue;
        newcomers = newcomers || is_newcomer(id);
        members = members || (!is_newcomer(id) && (state.role == GroupRole::member ||
                                                   state.role == GroupRole::newcomer));
        state.over_on.insert(host);
        if (state.is_over()) over.push_back(id);
    }
    for (const auto id : over) groups_.erase(id);
    events_.record("host_lost", {{"host", host_name(host)}, {"why", why}});
    if (state_ != State::ending) {
        if (members)
            end_job(code_lost, "host " + host_name(host) + " is lost: " + why +
                                   "; the job is ended on all other hosts");
        else if (newcomers)
            newcomer_lost("host " + host_name(host) + " is lost: " + why);
    }
    if (transaction_ && transaction_->undoing) finish_undoing();
    answer_freed();
    finish_if_all_ended();
    start_next_request();
}

void Broker::on_agent_gone(HostIndex host) {
    finishing_.erase(host);
    events_.record("host_free", {{"host", host_name(host)}});
    if (transaction_ && transaction_->undoing) finish_undoing();
    answer_freed();
    finish_if_all_ended();
    start_next_request();
}

void Broker::end_job(int code, const std::string& why) {
    if (state_ == State::ending || state_ == State::ended) return;
    state_ = State::ending;
    suspect_.reset();
    note_failure(code);
    end_why_ = why;
    say(why);
    events_.record("job_ending", {{"code", code}, {"why", why}});
    if (transaction_ && transaction_->reply)
        transaction_->reply(wire::ReplyKind::failed, "the job has ended: " + why);
    for (auto& waiting : pending_)
        waiting.respond({wire::ReplyKind::failed, "the job has ended: " + why, {}}, true);
    pending_.clear();
    transaction_.reset();
    agents_.send_to_all(wire::EndJob{why.substr(0, wire::limits::text_bytes)});
    end_deadline_ = Clock::now() + end_within;
    finish_if_all_ended();
}

void Broker::finish_if_all_ended() {
    if (state_ == State::ended) return;
    const bool over = state_ == State::ending || groups_.all().empty();
    if (!over) return;
    if (suspect_) return blame_suspect();
    if (agents_.hosts().empty()) return stop_loop();
    if (state_ != State::ending && !transaction_) {
        for (const auto host : agents_.hosts()) {
            if (finishing_.contains(host)) continue;
            finishing_[host] = Clock::now();
            agents_.finish(host);
        }
    }
}

void Broker::finish_idle_agents() {
    for (const auto host : agents_.hosts()) {
        if (groups_.any_on(host) || finishing_.contains(host) || !agents_.is_up(host)) continue;
        finishing_[host] = Clock::now();
        agents_.finish(host);
    }
}

void Broker::stop_loop() {
    state_ = State::ended;
    events_.record("job_ended",
                   {{"code", exit_code_},
                    {"seconds", std::chrono::duration<double>(Clock::now() - started_).count()},
                    {"resizes", history_}});
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

void Broker::wait_for_tick() {
    const bool wants_input = input_open_ && !input_asked_;
    const bool busy =
        transaction_ || suspect_ || !finishing_.empty() || wants_input || state_ != State::running;
    ticker_.expires_after(busy ? 20ms : 500ms);
    ticker_.async_wait([this](const std::error_code& error) {
        if (error) return;
        tick();
        wait_for_tick();
    });
}

void Broker::tick() {
    if (end_deadline_ && Clock::now() > *end_deadline_) {
        for (const auto host : agents_.hosts())
            say("host " + host_name(host) +
                " did not answer; its agent ends the job there by itself");
        return stop_loop();
    }
    std::vector<HostIndex> late;
    for (const auto& [host, since] : finishing_)
        if (Clock::now() - since > agent_end_within) late.push_back(host);
    for (const auto host : late) {
        agents_.drop(host);
        on_agent_lost(host, "its agent did not end in time");
    }
    if (suspect_ && Clock::now() > suspect_->until) blame_suspect();
    ask_for_input();
    check_deadlines();
}

// ---- standard streams ----

void Broker::on_output(const wire::Output& output) {
    if (!spec_.tag) return console_.write(output.stream, output.data);
    const std::string tag = fmt::format("[g{}.{}] ", output.group.value, output.rank.value);
    std::string tagged;
    for (std::size_t at = 0; at < output.data.size();) {
        const auto end = output.data.find('\n', at);
        const auto next = end == std::string::npos ? output.data.size() : end + 1;
        tagged += tag;
        tagged.append(output.data, at, next - at);
        at = next;
    }
    console_.write(output.stream, std::move(tagged));
}

void Broker::ask_for_input() {
    if (!input_open_ || input_asked_ || !input_group_) return;
    const auto* state = groups_.find(*input_group_);
    if (state == nullptr || agents_.input_queued(state->group.host) > (256u << 10)) return;
    input_asked_ = true;
    console_.more_input();
}

void Broker::on_input(const std::string& data) {
    input_asked_ = false;
    const auto* state = input_group_ ? groups_.find(*input_group_) : nullptr;
    if (state == nullptr) return;
    agents_.send_input(state->group.host, data);
    input_open_ = input_open_ && !data.empty();
    ask_for_input();
}

}  // namespace ductile::broker
