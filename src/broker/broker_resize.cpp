// Transactions: the broker's part in the design's section 4, "Launch", "Joining the leaders" and
// "The switch".
#include <fmt/format.h>

#include <algorithm>

#include "broker/broker.hpp"
#include "core/counted.hpp"

namespace ductile::broker {

namespace {

using namespace std::chrono_literals;

constexpr auto form_within = 30s;
constexpr auto bridge_within = 10s;
constexpr auto answer_within = 5s;

}  // namespace

bool Broker::is_newcomer(core::GroupId group) const {
    return is_added(group) && !transaction_->undoing;
}

bool Broker::is_added(core::GroupId group) const {
    if (!transaction_ || transaction_->committed) return false;
    return std::any_of(transaction_->added.begin(), transaction_->added.end(),
                       [group](const auto& g) { return g.id == group; });
}

// Nobody is to go and meet groups that are being ended.
void Broker::advance_forming(const std::vector<MeetOrder>& orders) {
    if (!start_forming_ && (!transaction_ || transaction_->undoing || transaction_->abandoned))
        return;
    for (const auto& order : orders) {
        std::vector<core::RankRange> ranks;
        for (const auto id : order.groups) {
            const auto ranges = groups_.find(id)->group.ranges();
            ranks.insert(ranks.end(), ranges.begin(), ranges.end());
        }
        send_to(ranks, wire::Meet{order.round, order.port});
    }
    if (start_forming_ || !transaction_ || transaction_->phase != Phase::starting) return;
    if (!transaction_->forming->all_ready()) return;
    transaction_->mark("ready");
    transaction_->phase = Phase::connecting;
    transaction_->set_deadline(form_within, "the new groups did not become one communicator");
}

// Answers why not, and has changed nothing then.
std::optional<std::string> Broker::open_transaction(const wire::ResizeRequest& request,
                                                    const PlannedResize& plan) {
    auto& t = transaction_.emplace();
    t.id = core::TransactionId{next_transaction_++};
    t.from_worn = wear_ == Wear::helper;
    if (request.switch_within_s > 0)
        t.switch_before =
            Clock::now() + std::chrono::duration_cast<Clock::duration>(
                               std::chrono::duration<double>(request.switch_within_s));
    t.added = plan.added;
    t.before = layout_;
    t.after = plan.after;
    t.change = core::change_between(t.before, t.after);
    t.given_back = plan.given_back;
    t.way = plan.way;
    t.shape = plan.shape;
    if (!plan.goes_on) t.expected = plan.cost;
    if (!t.added.empty() && t.way.start != plan::Start::launch)
        t.spawning.emplace(t.way.start, t.before, plan.spawns, t.added);
    auto why = journal_step("a resize is accepted");
    if (!why) return why;
    transaction_.reset();
    --next_transaction_;
    return why;
}

void Broker::begin() {
    const auto& t = *transaction_;
    if (t.added.empty() || t.is_blocking())
        ask();
    else
        start_newcomers();
}

void Broker::on_ready(core::GroupId group, const wire::Ready& ready) {
    if (start_forming_)
        advance_forming(start_forming_->ready(group, ready.ranks, ready.rounds, ready.ports));
    else if (is_newcomer(group))
        become_ready(group, ready);
}

// The leaders are joined before the leader's group meets the others, so that this costs no time of
// its own.
void Broker::become_ready(core::GroupId group, const wire::Ready& ready) {
    auto& t = *transaction_;
    const auto orders = t.forming->ready(group, ready.ranks, ready.rounds, ready.ports);
    if (!t.leader) t.leader = group;
    bridge_if_ready();
    advance_forming(orders);
}

void Broker::on_formed() {
    auto& t = *transaction_;
    t.forming->formed();
    t.mark("formed");
    t.phase = Phase::bridging;
    t.set_deadline(bridge_within, "the leaders' bridge was not begun");
    go_on_if_joined();
}

// Where there is one new group it leads: its first rank is told where to connect before it has
// initialised MPI, and goes there as soon as it has.
void Broker::on_newcomer_hello(const core::Process& process) {
    auto& t = *transaction_;
    if (t.added.size() == 1 && process.rank == core::Rank{0}) {
        t.leader = process.group;
        bridge_if_ready();
    }
    advance_forming(t.forming->hello(process.group));
}

// Two threads of a process are not to be in accept at once, and MPI_Comm_spawn accepts, too.
void Broker::bridge_if_ready() {
    auto& t = *transaction_;
    if (t.undoing || t.abandoned || !t.leader || t.port.empty() || t.entering) return;
    if (t.spawning && !t.spawning->is_done()) return;
    t.entering = true;
    send_to({*t.leader, core::Rank{0}}, wire::ConnectBridge{t.id, t.port});
}

void Broker::on_bridged(core::GroupId group, core::Rank rank, const wire::Bridged& bridged) {
    auto& t = *transaction_;
    t.merging.erase({group, rank});
    const bool leads = leader() == core::Process{group, rank};
    if (leads) {
        t.accepting = false;
        t.accept_before.reset();
        t.program_bridged = bridged.ok;
    } else if (is_newcomer(group)) {
        t.newcomers_bridged = bridged.ok;
    }
    t.worn_bridge = t.worn_bridge || bridged.worn;
    if (t.ending_due && !t.awaits_newcomers()) end_newcomers();
    if (t.undoing) return finish_undoing();
    if (!bridged.ok && state_ == State::finishing) return give_up("the program has ended");
    if (!bridged.ok) return give_up("the leaders could not be joined: " + bridged.why);
    go_on_if_joined();
}

void Broker::go_on_if_joined() {
    auto& t = *transaction_;
    const bool bridged = t.program_bridged && t.newcomers_bridged && t.merging.empty();
    if (t.undoing || t.abandoned || !t.forming->is_formed() || !bridged) return;
    t.mark("bridged");
    if (!t.is_blocking()) return ask();
    send_to_members(wire::Proceed{t.id});
    meet_newcomers();
}

void Broker::ask() {
    auto& t = *transaction_;
    if (const auto why = journal_step("the ranks are asked for their point")) return give_up(*why);
    t.phase = Phase::asking;
    t.agreement.emplace(layout_.size());
    t.set_deadline(answer_within, "");
    send_to_members(wire::Question{t.id, ++t.attempt});
    t.mark("asked");
}

void Broker::on_answer(core::GroupId group, core::Rank rank, const wire::PointAnswer& answer) {
    auto& t = *transaction_;
    if (t.phase != Phase::asking || t.undoing || !t.agreement || answer.attempt != t.attempt)
        return;
    t.agreement->answer(group, rank, answer.count, answer.finished);
    if (answer.finished) return roll_back("the program is ending");
    if (!t.agreement->complete()) return;
    t.point = *t.agreement->point();
    if (const auto why = journal_step("the point is announced")) {
        t.point = 0;
        return roll_back(*why);
    }
    t.phase = Phase::waiting;
    t.announced = true;
    t.deadline.reset();
    t.mark("announced");
    send_to_members(wire::Decide{t.id, t.point, wire::to_fields(t.added),
                                 wire::LayoutFields(t.after), t.is_blocking()});
    send_to(t.change.returning, wire::ComeBack{t.id});
}

void Broker::on_arrived() {
    auto& t = *transaction_;
    t.mark("arrived");
    t.switch_before.reset();
    if (t.is_blocking() && !t.abandoned) return start_newcomers();
    meet_newcomers();
}

void Broker::meet_newcomers() {
    auto& t = *transaction_;
    t.phase = Phase::switching;
    journal_fact("the switch begins");
    t.deadline.reset();  // a source may take as long as it likes to come to the point
    if (t.leader)
        send_to_newcomers(
            wire::Join{t.id, *t.leader, wire::to_fields(layout_.with(t.added).active)});
}

void Broker::on_switch_done(core::GroupId group, core::Rank rank, const wire::SwitchDone& done) {
    auto& t = *transaction_;
    t.done.insert({group, rank});
    t.committed = t.committed || done.committed;
    t.worn = t.worn || done.worn;
    t.unfinished = t.unfinished || done.unfinished;
    auto& longest = t.longest;
    longest.stall_s = std::max(longest.stall_s, done.stall_s);
    longest.vote_s = std::max(longest.vote_s, done.vote_s);
    longest.join_s = std::max(longest.join_s, done.join_s);
    longest.redistribute_s = std::max(longest.redistribute_s, done.redistribute_s);
    longest.commit_s = std::max(longest.commit_s, done.commit_s);
    longest.bytes_sent += done.bytes_sent;
    longest.peak_bytes = std::max(longest.peak_bytes, done.peak_bytes);
    if (!done.committed && t.why.empty()) t.why = done.why;
    // Once one rank has committed, newcomers hear it from their agents as well as over the bridge.
    if (done.committed && t.done.size() == 1) commit_layout();
    if (done.committed && !t.lost.empty())
        return end_job(t.lost_code, t.lost +
                                        ", when the program had just agreed to the resize; "
                                        "the job is ended on all hosts");
    if (static_cast<int>(t.done.size()) == t.before.size()) conclude();
}

void Broker::commit_layout() {
    auto& t = *transaction_;
    layout_ = t.after;
    given_back_ = t.given_back;
    for (const auto& group : t.added)
        if (auto* state = groups_.find(group.id)) state->role = GroupRole::member;
    journal_fact("the resize is committed");
    send_to_newcomers(wire::Commit{t.id, t.point, wire::LayoutFields(layout_)});
    let_leave(t.change);
    move_input(t.before);
    announce_deputy();
}

void Broker::conclude() {
    auto& t = *transaction_;
    t.mark("done");
    if (!t.committed) {
        if (!t.added.empty() && t.from_worn)
            wear_ = Wear::final;  // the one attempt that worn processes have
        else if (t.worn)
            wear_ = std::max(wear_, Wear::helper);
        if (t.unfinished) send_to(layout_.parked, wire::NoneFinalises{});
        return roll_back(t.why.empty() ? "the ranks voted no" : t.why);
    }
    if (t.replaces_all()) {
        wear_ = Wear::none;
        worlds_met_ = static_cast<int>(t.before.groups().size() + t.added.size());
    }
    send_to(t.change.leaving, wire::MayEnd{});
    if (t.abandoned) t.goes_on = nullptr;  // called off, too late for this part
    if (!t.goes_on) {
        last_resize_point_ = t.point;
        last_resize_ = Clock::now();
    }
    if (!t.added.empty() && t.times_s.contains("launched"))  // else another broker began it
        spec_.costs.learn(t.way, t.shape, t.times_s.at("bridged") - t.times_s.at("launched"));
    record_resize(t, "done");
    std::string text = fmt::format(
        "{} -> {} on {} in {:.0f} ms, of which the program waited {:.1f} ms", t.before.size(),
        core::counted(t.after.size(), "rank"), core::counted(t.after.hosts().size(), "host"),
        t.times_s.at("done") * 1e3, t.longest.stall_s * 1e3);
    auto reply = std::move(t.reply);
    const auto goes_on = std::move(t.goes_on);
    std::set<HostIndex> hosts;
    for (const auto& range : t.change.leaving) hosts.insert(range.host);
    for (const auto host : t.after.hosts()) hosts.erase(host);
    for (const auto host : hosts)
        if (is_on(host)) text += "; the job's broker stays on " + host_name(host);
    transaction_.reset();
    journal_fact("the resize is done");
    if (goes_on) goes_on();
    if (reply && !goes_on) freeing_.push_back({std::move(hosts), text, std::move(reply)});
    answer_freed();
    finish_if_all_ended();
    finish_idle_agents();
    start_next_request();
}

void Broker::record_resize(const Transaction& t, const std::string& outcome) {
    nlohmann::json hosts_before = nlohmann::json::array();
    nlohmann::json hosts_after = nlohmann::json::array();
    for (const auto host : t.before.hosts()) hosts_before.push_back(host_name(host));
    for (const auto host : (outcome == "done" ? t.after : t.before).hosts())
        hosts_after.push_back(host_name(host));
    nlohmann::json record{
        {"transaction", t.id.value},
        {"kind", t.kind()},
        {"method", plan::to_string(t.way.method)},
        {"start", plan::to_string(t.way.start)},
        {"overlap", plan::to_string(t.way.overlap)},
        {"from", t.before.size()},
        {"to", t.after.size()},
        {"parked", core::ranks_in(t.change.parking) - core::ranks_in(t.change.returning)},
        {"started", t.shape.started},
        {"new_groups", t.shape.groups},
        {"steps", t.shape.steps},
        {"hosts_before", hosts_before},
        {"hosts_after", hosts_after},
        {"outcome", outcome},
        {"why", t.why},
        {"point", t.point},
        {"since_accepted_s", t.times_s},
        {"total_s", std::chrono::duration<double>(Clock::now() - t.accepted).count()},
        {"spawn_s", t.spawn_s},
        {"stall_s", t.longest.stall_s},
        {"vote_s", t.longest.vote_s},
        {"join_s", t.longest.join_s},
        {"redistribute_s", t.longest.redistribute_s},
        {"commit_s", t.longest.commit_s},
        {"bytes_sent", t.longest.bytes_sent},
        {"peak_bytes", t.longest.peak_bytes}};
    if (t.expected) {
        record["expected_total_s"] = t.expected->total_s;
        record["expected_lost_s"] = t.expected->lost_s;
    }
    events_.record("resize", record);
    if (journal_) journal_->record_resize(record);
    if (history_.size() >= kept_resizes) history_.erase(history_.begin());
    history_.push_back(std::move(record));
}

}  // namespace ductile::broker
