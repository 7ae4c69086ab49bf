// Transactions: the broker's part in the design's section 4, "Launch", "Joining the leaders" and
// "The switch".
#include <fmt/format.h>

#include <algorithm>

#include "broker/broker.hpp"
#include "wire/psk.hpp"

namespace ductile::broker {

namespace {

using namespace std::chrono_literals;

constexpr auto ready_within = 60s;
constexpr auto form_within = 30s;
constexpr auto bridge_within = 10s;
constexpr auto answer_within = 5s;

}  // namespace

bool Broker::is_newcomer(core::GroupId group) const {
    if (!transaction_ || transaction_->undoing || transaction_->committed) return false;
    return std::any_of(transaction_->added.begin(), transaction_->added.end(),
                       [group](const auto& g) { return g.id == group; });
}

void Broker::advance_forming(const std::vector<MeetOrder>& orders) {
    for (const auto& order : orders) {
        std::vector<core::Group> groups;
        for (const auto id : order.groups) groups.push_back(groups_.find(id)->group);
        send_to_groups(groups, wire::Meet{order.round, order.port});
    }
    if (start_forming_ || !transaction_ || transaction_->phase != Phase::starting) return;
    if (!transaction_->forming->all_ready()) return;
    transaction_->mark("ready");
    transaction_->phase = Phase::connecting;
    transaction_->set_deadline(form_within, "the new groups did not become one communicator");
}

void Broker::begin_expand(core::TransactionId id, std::vector<core::Group> added) {
    auto& t = *transaction_;
    t.id = id;
    t.kind = wire::ResizeKind::expand;
    t.added = std::move(added);
    t.before = layout_;
    t.after = layout_.with(t.added);
    t.secret = wire::to_hex(wire::make_secret());
    t.forming.emplace(t.added);
    t.set_deadline(ready_within, "the new groups did not start");
    wire::RankWelcome welcome;
    welcome.job = spec_.id;
    welcome.role = wire::Role::newcomer;
    welcome.transaction = id;
    welcome.secret = t.secret;
    welcome.base_ranks = layout_.size();
    welcome.added = wire::to_fields(t.added);
    start_groups(t.added, welcome);
    t.mark("launched");
    send_to_groups(layout_.groups, wire::Underway{id, true});
    send_to_rank(layout_.groups.front().id, core::Rank{0}, wire::OpenBridge{id, t.secret});
}

void Broker::begin_shrink(core::TransactionId id, std::vector<core::GroupId> leaving) {
    auto& t = *transaction_;
    t.id = id;
    t.kind = wire::ResizeKind::shrink;
    t.leaving = std::move(leaving);
    t.before = layout_;
    t.after = layout_.without(t.leaving);
    ask();
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
    ask_if_joined();
}

void Broker::bridge_if_ready() {
    auto& t = *transaction_;
    if (t.undoing || !t.leader || t.port.empty() || t.entering) return;
    t.entering = true;
    send_to_rank(*t.leader, core::Rank{0}, wire::ConnectBridge{t.id, t.port});
}

void Broker::on_bridged(core::GroupId group, const wire::Bridged& bridged) {
    auto& t = *transaction_;
    const bool from_program = group == layout_.groups.front().id;
    if (from_program) {
        t.accepting = false;
        t.accept_before.reset();
        t.program_bridged = bridged.ok;
    } else {
        t.newcomers_bridged = bridged.ok;
    }
    if (t.undoing) return finish_undoing();
    if (!bridged.ok) return roll_back("the leaders could not be joined: " + bridged.why);
    ask_if_joined();
}

void Broker::ask_if_joined() {
    auto& t = *transaction_;
    if (t.undoing || !t.forming->is_formed() || !t.program_bridged || !t.newcomers_bridged) return;
    t.mark("bridged");
    ask();
}

void Broker::ask() {
    auto& t = *transaction_;
    t.phase = Phase::asking;
    t.agreement.emplace(layout_.size());
    t.set_deadline(answer_within, "");
    send_to_groups(layout_.groups, wire::Question{t.id, ++t.attempt});
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
    t.phase = Phase::waiting;
    t.deadline.reset();
    t.mark("announced");
    send_to_groups(layout_.groups,
                   wire::Decide{t.id, t.point, t.kind, wire::to_fields(t.added), t.leaving});
}

void Broker::on_arrived() {
    auto& t = *transaction_;
    t.mark("arrived");
    t.phase = Phase::switching;
    if (t.kind == wire::ResizeKind::expand) send_to_groups(t.added, wire::Join{t.id, *t.leader});
}

void Broker::on_switch_done(core::GroupId group, core::Rank rank, const wire::SwitchDone& done) {
    auto& t = *transaction_;
    t.done.insert({group, rank});
    t.committed = t.committed || done.committed;
    t.worn = t.worn || done.worn;
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
    if (static_cast<int>(t.done.size()) == t.before.size()) conclude();
}

void Broker::commit_layout() {
    auto& t = *transaction_;
    layout_ = t.after;
    if (t.kind == wire::ResizeKind::expand) {
        for (const auto& group : t.added)
            if (auto* state = groups_.find(group.id)) state->role = GroupRole::member;
        send_to_groups(t.added, wire::Commit{t.id, t.point, wire::to_fields(layout_.groups)});
    } else {
        std::map<HostIndex, std::vector<core::GroupId>> by_host;
        for (const auto id : t.leaving) {
            if (auto* state = groups_.find(id)) {
                state->role = GroupRole::leaver;
                for (const auto& share : state->group.shares()) by_host[share.host].push_back(id);
            }
            if (input_group_ == id && input_open_) {
                input_open_ = false;
                agents_.send_input(t.before.find(id)->host, {});
                say("the group that reads standard input has left: input is at its end");
            }
        }
        for (const auto& [host, ids] : by_host) agents_.send(host, wire::GroupsLeave{ids});
    }
    announce_deputy();
}

void Broker::conclude() {
    auto& t = *transaction_;
    t.mark("done");
    worn_ = worn_ || t.worn;
    if (!t.committed) return roll_back(t.why.empty() ? "the ranks voted no" : t.why);
    std::vector<core::Group> left;
    for (const auto id : t.leaving) left.push_back(*t.before.find(id));
    send_to_groups(left, wire::MayEnd{});
    last_resize_point_ = t.point;
    last_resize_ = Clock::now();
    record_resize(t, "done");
    const std::string text = fmt::format(
        "{} -> {} ranks on {} hosts in {:.0f} ms, of which the program waited {:.1f} ms",
        t.before.size(), t.after.size(), t.after.hosts().size(), t.times_s.at("done") * 1e3,
        t.longest.stall_s * 1e3);
    auto reply = std::move(t.reply);
    std::set<HostIndex> hosts;
    for (const auto id : t.leaving)
        for (const auto& share : t.before.find(id)->shares()) hosts.insert(share.host);
    for (const auto host : t.after.hosts()) hosts.erase(host);
    transaction_.reset();
    if (reply) freeing_.push_back({std::move(hosts), text, std::move(reply)});
    answer_freed();
    finish_if_all_ended();
    finish_idle_agents();
    start_next_request();
}

void Broker::answer_freed() {
    for (auto& waiting : freeing_)
        std::erase_if(waiting.hosts, [this](HostIndex host) { return !agents_.has(host); });
    std::erase_if(freeing_, [](const Freeing& waiting) {
        if (!waiting.hosts.empty()) return false;
        waiting.reply(wire::ReplyKind::done, waiting.text);
        return true;
    });
}

void Broker::record_resize(const Transaction& t, const std::string& outcome) {
    nlohmann::json hosts_before = nlohmann::json::array();
    nlohmann::json hosts_after = nlohmann::json::array();
    for (const auto host : t.before.hosts()) hosts_before.push_back(host_name(host));
    for (const auto host : (outcome == "done" ? t.after : t.before).hosts())
        hosts_after.push_back(host_name(host));
    nlohmann::json record{
        {"transaction", t.id.value},
        {"kind", t.kind == wire::ResizeKind::expand ? "expand" : "shrink"},
        {"from", t.before.size()},
        {"to", t.after.size()},
        {"hosts_before", hosts_before},
        {"hosts_after", hosts_after},
        {"outcome", outcome},
        {"why", t.why},
        {"point", t.point},
        {"since_accepted_s", t.times_s},
        {"total_s", std::chrono::duration<double>(Clock::now() - t.accepted).count()},
        {"stall_s", t.longest.stall_s},
        {"vote_s", t.longest.vote_s},
        {"join_s", t.longest.join_s},
        {"redistribute_s", t.longest.redistribute_s},
        {"commit_s", t.longest.commit_s},
        {"bytes_sent", t.longest.bytes_sent},
        {"peak_bytes", t.longest.peak_bytes}};
    events_.record("resize", record);
    constexpr std::size_t kept = 256;
    if (history_.size() >= kept) history_.erase(history_.begin());
    history_.push_back(std::move(record));
}

}  // namespace ductile::broker
