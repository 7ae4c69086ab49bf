// The journal, and how a broker takes over the job of one that died (docs/commands/run.md,
// --resume).
#include <fmt/format.h>

#include "broker/broker.hpp"

namespace ductile::broker {

namespace {

using namespace std::chrono_literals;

constexpr auto settle_within = 60s;
constexpr std::size_t held_messages = 65536;

}  // namespace

Snapshot Broker::snapshot() const {
    Snapshot now;
    now.stage = state_ == State::starting    ? Stage::starting
                : state_ == State::finishing ? Stage::finishing
                : state_ == State::ending    ? Stage::ending
                                             : Stage::running;
    now.layout = layout_;
    now.given_back = given_back_;
    for (const auto& [id, state] : groups_.all())
        now.groups.push_back({state.group, state.carrier, state.role});
    for (const auto host : agents_.hosts()) now.agents.push_back({host, agents_.generation(host)});
    if (transaction_) {
        const auto& t = *transaction_;
        now.open = OpenResize{t.id,  t.added,  t.before, t.after,     t.given_back,
                              t.way, t.secret, t.port,   t.accepting, t.point};
    }
    now.generations = agents_.generations();
    now.next_group = next_group_;
    now.worlds_met = worlds_met_;
    now.next_transaction = next_transaction_;
    now.wear = static_cast<int>(wear_);
    now.exit_code = exit_code_;
    now.end_why = end_why_.substr(0, wire::limits::text_bytes);
    now.code = code_options_;
    return now;
}

std::optional<std::string> Broker::journal_step(const std::string& step) {
    // What is journaled meanwhile would hide what is still to be settled.
    if (!journal_ || resuming_) return std::nullopt;
    const auto why = journal_->record(step, snapshot());
    if (why && !journal_failed_)
        say(*why + "; the job runs on at its size, and no resize begins until it can be written");
    if (!why && journal_failed_) say("the journal can be written again");
    journal_failed_ = why.has_value();
    return why;
}

// Nothing has been sent but questions: agents and ranks find that their broker is gone again.
void Broker::refuse_takeover(const std::string& why) {
    if (!takeover_refused_.empty()) return;
    takeover_refused_ = fmt::format(
        "job {} cannot be taken over: its journal {} is behind the job ({}), so this broker would "
        "end ranks that it does not know. Nothing was changed, and the ranks run on; to end them "
        "all, end one of them: the others follow within --orphan-limit",
        spec_.id, journal_path_, why);
    state_ = State::ended;
    io_.stop();
}

void Broker::open_journal() {
    auto origin = spec_.origin;
    const auto seat = agents_.seat();
    origin["job"] = spec_.id;
    origin["secret"] = wire::to_hex(seat.secret);
    origin["port"] = seat.port;
    journal_.emplace(Journal::create(journal_path_, origin));
}

Seat seat_in(const Journal& journal) {
    Seat seat;
    std::string secret;
    wire::Decoder fields(journal.origin(), "journal");
    fields.text("secret", secret, wire::limits::name_bytes);
    fields.number("port", seat.port, 1, 65535);
    seat.secret = wire::secret_from_hex(secret);
    return seat;
}

void Broker::resume_job() {
    begun_ = true;
    const auto known = journal_->snapshot();
    say(fmt::format("job {} is taken over; the last step of its broker was: {}", spec_.id,
                    journal_->last_step()));
    events_.record("job_resumed", {{"job", spec_.id}, {"step", journal_->last_step()}});
    layout_ = known.layout;
    given_back_ = known.given_back;
    next_group_ = known.next_group;
    worlds_met_ = known.worlds_met;
    next_transaction_ = known.next_transaction;
    wear_ = static_cast<Wear>(known.wear);
    exit_code_ = known.exit_code;
    input_open_ = false;
    for (auto& record : journal_->resizes(kept_resizes)) history_.push_back(std::move(record));
    for (const auto& one : known.groups) {
        groups_.add(one.group);
        groups_.find(one.group.id)->carrier = one.carrier;
        groups_.find(one.group.id)->role = one.role;
        if (spec_.mpi.agents_start_ranks) open_world(one.group, pmi::Gate::open);
    }
    agents_.continue_from(known.generations);
    for (const auto& agent : known.agents) agents_.expect(agent.host, agent.generation);
    if (known.stage == Stage::ending) {
        end_why_ = known.end_why;
        return end_job(code_lost, "the end of the job is gone on with: " + known.end_why);
    }
    if (known.stage == Stage::starting)
        return end_job(code_lost, "the job's broker died before the job had started");
    resumed_ = known;
    resuming_.emplace(known);
    state_ = State::resuming;
    if (known.code) on_code_options(*known.code);
    settle_before_ = Clock::now() + settle_within;
    settle_if_complete();
}

void Broker::on_stock(HostIndex host, const wire::Stock& stock) {
    if (!resuming_) return;
    resuming_->stock(host, stock);
    if (const auto& behind = resuming_->behind()) return refuse_takeover(*behind);
    settle_if_complete();
}

// Until it is known what became of the open resize, all other news waits.
void Broker::hold(std::function<void()> news) {
    if (held_.size() < held_messages) held_.push_back(std::move(news));
}

void Broker::settle_if_complete() {
    if (resuming_ && resuming_->is_complete()) settle();
}

void Broker::check_settling() {
    if (!resuming_ || Clock::now() < settle_before_) return;
    if (resuming_->is_decided()) return settle();
    std::string who;
    for (const auto host : resuming_->silent_hosts())
        who += (who.empty() ? "host " : ", host ") + host_name(host);
    for (const auto& [group, rank] : resuming_->silent_ranks())
        who += fmt::format("{}rank g{}.{}", who.empty() ? "" : ", ", group.value, rank.value);
    resuming_.reset();
    state_ = State::running;
    end_job(code_lost, "the resize that was open could not be settled within 60 s: no word from " +
                           who + "; the job is ended");
}

void Broker::settle() {
    const auto found = std::move(*std::exchange(resuming_, std::nullopt));
    const auto known = std::move(*std::exchange(resumed_, std::nullopt));
    state_ = known.stage == Stage::finishing ? State::finishing : State::running;
    restore_open(known);
    for (const auto& [host, stock] : found.stocks()) adopt_stock(host, stock);
    forget_absent(found);
    if (found.worn()) wear_ = std::max(wear_, Wear::helper);
    if (transaction_ && found.committed()) {
        auto& t = *transaction_;
        t.committed = true;
        commit_layout();
        conclude();
    } else if (transaction_) {
        transaction_->accepting = found.accepting() && !transaction_->port.empty();
        roll_back("its broker died before the program had agreed to it");
    }
    journal_fact("taken over");
    announce_deputy();
    for (const auto& [host, stock] : found.stocks()) tell_ends(host, stock);
    for (const auto held = std::exchange(held_, {}); const auto& news : held) news();
    if (transaction_ && transaction_->undoing) finish_undoing();
    finish_if_all_ended();
    finish_idle_agents();
    start_next_request();
}

void Broker::restore_open(const Snapshot& known) {
    if (!known.open) return;
    const auto& open = *known.open;
    auto& t = transaction_.emplace();
    t.from_worn = wear_ == Wear::helper;
    t.id = open.id;
    t.added = open.added;
    t.before = open.before;
    t.after = open.after;
    t.change = core::change_between(t.before, t.after);
    t.given_back = open.given_back;
    t.way = open.way;
    t.secret = open.secret;
    t.port = open.port;
    t.point = open.point;
    t.phase = Phase::connecting;  // nobody is to answer a question any more
    for (const auto& group : t.added)
        if (groups_.find(group.id) == nullptr) groups_.add(group);
}

void Broker::adopt_stock(HostIndex host, const wire::Stock& stock) {
    for (const auto& group : stock.groups) {
        auto* state = groups_.find(group.group);
        if (state == nullptr && !group.ended) agents_.send(host, wire::KillRun{group.group});
        if (state == nullptr) continue;
        for (std::size_t i = 0; i < group.ranks.size(); ++i) {
            auto* rank =
                groups_.find(group.group, core::Rank{group.first_rank + static_cast<int>(i)});
            if (rank == nullptr) continue;
            rank->hello = group.ranks[i].hello;
            rank->goodbye = group.ranks[i].goodbye;
        }
    }
}

// A group that was never started where it was to be, or is long over there.
void Broker::forget_absent(const Resuming& found) {
    std::vector<core::GroupId> over;
    for (auto& [id, state] : groups_.all()) {
        for (const auto& share : state.group.shares()) {
            const auto stock = found.stocks().find(share.host);
            const bool listed =
                stock != found.stocks().end() &&
                std::any_of(stock->second.groups.begin(), stock->second.groups.end(),
                            [&](const auto& one) { return one.group == id; });
            // The loss of a host that has not answered is told with the other news.
            const bool silent = stock == found.stocks().end() && silent_.contains(share.host);
            if (!listed && !silent) state.over_on.insert(share.host);
        }
        if (state.is_over()) over.push_back(id);
    }
    for (const auto id : over) forget_group(id);
}

// As if it happened now.
void Broker::tell_ends(HostIndex host, const wire::Stock& stock) {
    for (const auto& group : stock.groups) {
        for (std::size_t i = 0; i < group.ranks.size(); ++i) {
            const auto& rank = group.ranks[i];
            if (rank.ended)
                on_rank_ended({group.group, core::Rank{group.first_rank + static_cast<int>(i)},
                               rank.code, rank.signal, rank.hello, rank.goodbye, rank.why});
        }
        if (group.ended) on_run_ended(host, {group.group, 0, 0, ""});
    }
    const bool ending = std::ranges::any_of(layout_.active, [this](const core::RankRange& range) {
        for (int i = 0; i < range.ranks; ++i) {
            const auto* rank = groups_.find(range.group, core::Rank{range.first.value + i});
            if (rank != nullptr && rank->goodbye) return true;
        }
        return false;
    });
    if (ending && state_ == State::running) on_program_ending();
}

}  // namespace ductile::broker
