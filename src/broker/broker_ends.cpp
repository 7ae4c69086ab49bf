// Ends and deaths: of ranks, launcher runs, agents, and of the job.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "broker/broker.hpp"

namespace ductile::broker {

namespace {

using namespace std::chrono_literals;

constexpr int code_lost = 125;  // no rank says why
constexpr auto end_within = 10s;
constexpr auto suspect_for = 300ms;

}  // namespace

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

}  // namespace ductile::broker
