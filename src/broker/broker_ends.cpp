// Ends and deaths: of ranks, launcher runs, agents, and of the job.
#include <fmt/format.h>
#include <signal.h>

#include <algorithm>
#include <cstring>

#include "broker/broker.hpp"

namespace ductile::broker {

namespace {

using namespace std::chrono_literals;

constexpr auto end_within = 10s;
constexpr auto absent_within = 1s;  ///< for agents that were just started to connect
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
    const auto has_finished = [this](const core::RankRange& range) {
        for (int i = 0; i < range.ranks; ++i) {
            const auto* rank = groups_.find(range.group, core::Rank{range.first.value + i});
            if (rank != nullptr && !rank->goodbye && !rank->ended) return false;
        }
        return true;
    };
    // An announced point is final while anybody may still reach it.
    if (!transaction_->announced || std::ranges::all_of(layout_.active, has_finished))
        roll_back("the program has ended");
}

void Broker::note_failure(int code) {
    if (exit_code_ != 0) return;
    exit_code_ = code;
    journal_fact("a rank has failed");
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
    if (state_ == State::ending) return;
    if (role == GroupRole::child && spawn_callers_.contains(ended.group)) {
        say(fmt::format("{} has ended with code {} before MPI ran in it{}", who, code,
                        ended.why.empty() ? "" : ": " + ended.why));
        return give_up_children(ended.group);
    }
    const bool newcomer = is_newcomer(ended.group);
    // Not yet ended where a spawn has to return first.
    const bool given_up = !newcomer && is_added(ended.group);
    // What a member's death means for the job comes before what it means for the resize.
    if (!newcomer && !given_up && role != GroupRole::undone) judge_end(ended, who, code);
    close_spawns_of(ended.group, ended.rank);
    if (newcomer || given_up || role == GroupRole::undone) help_spawn(ended.group);
    if (spec_.mpi.keeps_daemons) answer_freed();  // it is not said when a launcher run ends
    if (newcomer && role != GroupRole::undone)
        newcomer_lost(
            who + " has ended before it was a member" + (ended.why.empty() ? "" : ": " + ended.why),
            code);
}

void Broker::judge_end(const wire::RankEnded& ended, const std::string& who, int code) {
    // Also after its goodbye: a rank that MPI told of a lost peer may be on its way out.
    const auto& state = *groups_.find(ended.group);
    const bool among_others = !spec_.mpi.agents_start_ranks &&
                              (state.group.spans_hosts() || state.carrier != ended.group);
    const bool left = has_left({ended.group, ended.rank});
    if (!left && among_others && ended.signal == SIGKILL && !ended.why.empty())
        return suspect(code, fmt::format("{} was ended by signal {} ({}): {}; the job is ended on "
                                         "all hosts",
                                         who, ended.signal, ::strsignal(ended.signal), ended.why));
    if (left || ended.goodbye) {
        if (code != 0) {
            note_failure(code);
            say(fmt::format("{} has ended with code {}", who, code));
        }
        return;
    }
    if (!ended.why.empty()) return fail_job(who, code, ended.signal, ended.why);
    if (ended.hello || code != 0) return fail_job(who, code, ended.signal, "");
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
    if (transaction_ && !transaction_->lost.empty()) how += "; before that " + transaction_->lost;
    end_job(code != 0 ? code : code_lost, who + " " + how + "; the job is ended on all hosts");
}

// mpiexec on a group's first host wants its proxy on another one: that host's agent starts it, once
// it is there.
void Broker::on_proxy_wanted(HostIndex host, const wire::ProxyWanted& wanted) {
    auto* state = groups_.find(wanted.starts);
    if (state_ == State::ending) return;
    if (state == nullptr || state->role == GroupRole::undone) return tell_carrier(wanted, 1);
    const auto shares = state->group.shares();
    const auto* carrier = groups_.find(wanted.group);
    if (carrier == nullptr || carrier->group.host != host || state->carrier != wanted.group ||
        wanted.part >= static_cast<int>(shares.size()) ||
        (wanted.part == 0 && wanted.starts == wanted.group))
        throw InputError(
            fmt::format("the launcher run of group g{} has no proxy to start for part "
                        "{} of group g{}",
                        wanted.group.value, wanted.part, wanted.starts.value));
    const auto there = shares[static_cast<std::size_t>(wanted.part)].host;
    const wire::StartProxy order{wanted.starts, wanted.argv};
    if (agents_.is_up(there)) return agents_.send(there, order);
    state->proxies.insert_or_assign(there, order);
}

void Broker::tell_carrier(const wire::ProxyWanted& proxy, int code) {
    if (const auto* carrier = groups_.find(proxy.group))
        agents_.send(carrier->group.host,
                     wire::ProxyEnded{proxy.group, proxy.starts, proxy.part, code});
}

void Broker::on_run_ended(HostIndex host, const wire::RunEnded& ended) {
    auto* state = groups_.find(ended.group);
    if (state == nullptr || !state->is_on(host)) return;
    const bool needed = needs_host(*state, host);
    const bool carried = state->carrier != ended.group;
    const bool served = spec_.mpi.agents_start_ranks;
    // Where mpiexec itself ran, for all of it.
    const bool first = !served && !carried && state->group.host == host;
    const bool complete = first ? state->all_ended() : state->all_ended_on(host);
    const bool newcomer = is_newcomer(ended.group);
    const bool among_others = !served && (carried || state->group.spans_hosts());
    state->over_on.insert(host);
    if (!served && (carried || (complete && !state->is_over()))) on_part_ended(*state, host, ended);
    if (state->is_over()) forget_group(ended.group);
    if (state_ != State::ending) {
        const std::string text = ended.text.empty() ? "" : ": " + ended.text;
        const int code = ended.signal != 0 ? 128 + ended.signal
                         : ended.code != 0 ? ended.code
                                           : code_lost;
        const std::string what = fmt::format("the {} of group g{} on {}",
                                             served  ? "part"
                                             : first ? "launcher run"
                                                     : "launcher's proxy",
                                             ended.group.value, host_name(host));
        // mpiexec gets SIGPIPE when a proxy has gone before it: never the cause.
        const auto under_ranks =
            what + " has ended under its ranks" + text + "; the job is ended on all hosts";
        if (newcomer)
            newcomer_lost(what + " has ended" + text, code);
        else if (suspect_ && ended.signal != 0 && ended.signal != SIGPIPE)
            end_job(code, fmt::format("{} was ended by signal {} ({}); the job is ended on all "
                                      "hosts",
                                      what, ended.signal, ::strsignal(ended.signal)));
        else if (needed && !complete && among_others)
            suspect(code, under_ranks);
        else if (needed && !complete)
            end_job(code, under_ranks);
    }
    if (transaction_ && transaction_->undoing) finish_undoing();
    finish_if_all_ended();
    finish_idle_agents();
}

// mpiexec waits for all its proxies, and none of them has anything to do without it.
void Broker::on_part_ended(const GroupState& state, HostIndex host, const wire::RunEnded& ended) {
    const bool carried = state.carrier != ended.group;
    if (!carried && host == state.group.host)
        return send_to_hosts_of(ended.group, wire::KillRun{ended.group});
    tell_carrier(state, host, ended.code);
}

void Broker::tell_carrier(const GroupState& state, HostIndex host, int code) {
    const auto shares = state.group.shares();
    const auto at = std::ranges::find(shares, host, &core::Share::host);
    tell_carrier({state.carrier, state.group.id, static_cast<int>(at - shares.begin()), {}}, code);
}

// Of a group that is no newcomer of a resize.
bool Broker::needs_host(const GroupState& state, HostIndex host) const {
    if (state.role == GroupRole::newcomer || state.role == GroupRole::child) return true;
    const auto is_there = [&](const core::RankRange& range) {
        return range.group == state.group.id && range.host == host;
    };
    return state.role == GroupRole::member && (std::ranges::any_of(layout_.active, is_there) ||
                                               std::ranges::any_of(layout_.parked, is_there));
}

void Broker::on_agent_lost(HostIndex host, const std::string& why) {
    if (resuming_) {
        silent_.insert(host);
        hold([this, host, why] { on_agent_lost(host, why); });
        resuming_->lost(host);
        return settle_if_complete();
    }
    finishing_.erase(host);
    lost_hosts_.insert(host);
    std::vector<core::GroupId> over;
    bool members = false;
    bool newcomers = false;
    for (auto& [id, state] : groups_.all()) {
        if (!state.is_on(host)) continue;
        newcomers = newcomers || is_newcomer(id);
        members = members || (!is_added(id) && needs_host(state, host));
        state.over_on.insert(host);
        // mpiexec may not notice, and is not to wait for it at the end.
        if (state.carrier != id) tell_carrier(state, host, 0);
        if (state.is_over()) over.push_back(id);
    }
    for (const auto id : over) forget_group(id);
    PmiOutbox effects;
    worlds_.on_host_lost(host, effects);
    carry_out(std::move(effects));
    events_.record("host_lost", {{"host", host_name(host)}, {"why", why}});
    journal_fact("a host is lost");
    if (state_ != State::ending) {
        if (members)
            end_job(code_lost, "host " + host_name(host) + " is lost: " + why +
                                   "; the job is ended on all other hosts");
        else if (newcomers)
            newcomer_lost("host " + host_name(host) + " is lost: " + why, code_lost);
    }
    if (transaction_ && transaction_->undoing) finish_undoing();
    answer_freed();
    finish_if_all_ended();
    start_next_request();
}

void Broker::on_agent_gone(HostIndex host) {
    if (resuming_) {
        hold([this, host] { on_agent_gone(host); });
        resuming_->lost(host);
        return settle_if_complete();
    }
    finishing_.erase(host);
    journal_fact("a host is free");
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
    resuming_.reset();
    held_.clear();
    end_why_ = why;
    note_failure(code);
    journal_fact("the job is ended");
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
    absent_deadline_ = Clock::now() + absent_within;
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
    if (spec_.mpi.keeps_daemons) return;  // of which the agents are the parents
    for (const auto host : agents_.hosts()) {
        if (groups_.any_on(host) || finishing_.contains(host) || !agents_.is_up(host)) continue;
        // Groups of a blocking resize start there once the program has come to its point.
        if (transaction_ && !transaction_->undoing && transaction_->after.ranks_on(host) > 0)
            continue;
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
