// Hosts that are asked for, and hosts that are taken back.
#include <fmt/format.h>

#include <algorithm>

#include "broker/broker.hpp"
#include "broker/choose_way.hpp"
#include "broker/job_status_json.hpp"
#include "broker/leave_plan.hpp"
#include "broker/missing_hosts.hpp"
#include "broker/size_in_range.hpp"
#include "core/counted.hpp"

namespace ductile::broker {

namespace {

using namespace std::chrono_literals;

/// Of a range of sizes, the largest that can be had within this time is taken.
constexpr auto at_once = 5s;

constexpr auto never = WallTime::max();

WallTime after(double seconds) {
    if (seconds <= 0) return never;
    return wall_time() + std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1e3));
}

std::string asked_text(core::TransactionId resize, int hosts) {
    return fmt::format("resize {}: {} {} asked for", resize.value,
                       core::counted(hosts, "more host"), hosts == 1 ? "is" : "are");
}

std::vector<std::string> names_of(const std::vector<HostIndex>& hosts, const JobHosts& all) {
    std::vector<std::string> names;
    for (const auto host : hosts) names.push_back(all.name(host));
    return names;
}

/// A part of what was wanted leads to a smaller size.
void take_part(NextStep& asked, int present) {
    auto* size = std::get_if<NewSize>(&asked.request.goal);
    if (size == nullptr || !size->range.is_one()) return;
    size->range.lower = std::min(present + 1, size->range.upper);
}

}  // namespace

int Broker::slots_of_new_hosts() const {
    if (spec_.asking.slots > 0) return spec_.asking.slots;
    int most = 1;
    for (const auto& host : hosts_.table().dependable().hosts) most = std::max(most, host.slots);
    return most;
}

std::optional<std::string> Broker::ask_for_hosts(AwaitingHosts request, const HostWish& wish,
                                                 WallTime until) {
    // A user may say what a host has to have. Else a smaller one helps, too.
    const int min_slots = spec_.asking.slots > 0 ? wish.slots : 1;
    HostNeed need{request.id, {wish.hosts, {min_slots, hosts_.table().failed()}}, wish.part, until};
    if (request.aim == Aim::largest && is_range(request.asked.request))
        need.until = wall_time() + at_once;
    history_.event("hosts_asked", {{"hosts", wish.hosts}, {"min_slots", min_slots}});
    request.hosts = wish.hosts;
    queue_.await(std::move(request));
    auto why = hosts_.ask(need);
    if (why) static_cast<void>(queue_.take_awaiting());
    return why;
}

// ---- the first hosts ----

void Broker::ask_for_first_hosts(Aim aim) {
    const auto wish = hosts_to_start(spec_.ranks, limits_, slots_of_new_hosts(), aim);
    if (!wish) return end_job(code_lost, "cannot start the job: it takes too many hosts");
    AwaitingHosts request;
    request.asked.request.goal = NewSize{spec_.ranks};
    request.asked.respond = [](const wire::Reply&, bool) {};
    request.aim = aim;
    if (const auto why = ask_for_hosts(std::move(request), *wish, never))
        return end_job(code_lost, "cannot start the job: " + *why);
    streams_.notify_user(fmt::format("{} {} asked for ({})", core::counted(wish->hosts, "host"),
                                     wish->hosts == 1 ? "is" : "are", hosts_.describe()));
}

void Broker::start_on_granted_hosts() {
    const auto planned = plan_first_world(spec_.ranks, hosts_.table().lasting(), limits_);
    if (const auto* refused = std::get_if<Refused>(&planned))
        return end_job(code_lost, refused->why);
    start_world(std::get<core::Group>(planned));
}

// ---- hosts for a resize ----

bool Broker::await_hosts(NextStep asked, Aim aim) {
    const auto wish = hosts_to_grow(asked.request, view(), slots_of_new_hosts(), aim);
    if (!wish) return false;
    if (asked.request.dry_run) {
        asked.respond(
            {wire::ReplyKind::done,
             fmt::format("{} of {} would be asked for\n", core::counted(wish->hosts, "more host"),
                         core::counted(wish->slots, "slot")),
             {}},
            true);
        return true;
    }
    AwaitingHosts request{std::move(asked), core::TransactionId{ledger_.next_transaction++}, 0,
                          aim};
    auto& its = request.asked;
    const auto respond = its.respond;
    const bool begins = its.continues.value == 0;
    if (begins) its = {its.request, later(its.request, respond), request.id};
    const auto begun_as = its.continues;
    const bool waits = its.request.wait;
    if (const auto why = ask_for_hosts(std::move(request), *wish, after(spec_.asking.within_s)))
        respond({wire::ReplyKind::refused, *why, {}}, true);
    else if (begins)
        respond(
            {wire::ReplyKind::accepted, asked_text(begun_as, wish->hosts), accepted_as(begun_as)},
            !waits);
    return true;
}

void Broker::on_hosts_ready(const HostsReady& ready) {
    if (!queue_.awaiting() || queue_.awaiting()->id != ready.wanted_by) return;
    auto awaiting = *queue_.take_awaiting();
    history_.event("hosts_granted", {{"hosts", names_of(ready.hosts, hosts_)}});
    changed();
    if (is<Starting>()) return start_on_granted_hosts();
    auto& asked = awaiting.asked;
    // More are asked for if these are not enough, since the job, say, has lost others meanwhile.
    if (static_cast<int>(ready.hosts.size()) < awaiting.hosts) {
        take_part(asked, ledger_.layout.size());
        asked.no_more_hosts = "no more hosts were granted";
    }
    queue_.push_front(std::move(asked));
}

void Broker::on_hosts_denied(const HostsDenied& denied) {
    if (!queue_.awaiting() || queue_.awaiting()->id != denied.wanted_by) return;
    auto [asked, id, hosts, aim] = *queue_.take_awaiting();
    history_.event("hosts_denied", {{"hosts", hosts}, {"why", denied.reason}});
    changed();
    const bool may_be_smaller = is_range(asked.request) && aim == Aim::largest;
    if (is<Starting>()) {
        if (may_be_smaller) return ask_for_first_hosts(Aim::smallest);
        return end_job(code_lost, "cannot start the job: " + denied.reason);
    }
    if (may_be_smaller && std::holds_alternative<Refused>(choose_resize(asked.request, view())) &&
        await_hosts(asked, Aim::smallest))
        return;
    asked.no_more_hosts = denied.reason;
    queue_.push_front(std::move(asked));
}

void Broker::stop_awaiting_hosts(wire::ReplyKind kind, const std::string& why) {
    const auto awaiting = queue_.take_awaiting();
    if (!awaiting) return;
    hosts_.withdraw(awaiting->id);
    awaiting->asked.respond({kind, why, {}}, true);
}

void Broker::give_back_idle_hosts() {
    hosts_.give_back_idle([this](HostIndex host) {
        if (!queue_.is_empty()) return true;  // they are for one of these
        return open_ && (open_->next || open_->operation.plan().after.ranks_on(host) > 0);
    });
}

// ---- hosts that are taken back ----

void Broker::on_host_must_go(const HostMustGo& must_go) {
    if (is<Ending>() || is<Ended>()) return;
    const std::chrono::duration<double> left = must_go.deadline - wall_time();
    history_.event("host_revoked",
                   {{"host", hosts_.name(must_go.host)}, {"within_s", left.count()}});
    auto text = fmt::format("host {} is taken back in {:.1f} s", hosts_.name(must_go.host),
                            std::max(0.0, left.count()));
    const auto planned = plan_to_leave(hosts_.table().revoked(), view());
    if (const auto* refused = std::get_if<Refused>(&planned))
        text += "; the job cannot leave it, and ends then: " + refused->why;
    streams_.notify_user(text);
    changed();
}

// Whatever the resize that is open needs is called off; a switch is finished first.
void Broker::leave_revoked_hosts() {
    const auto revoked = hosts_.table().revoked();
    if (revoked.empty() || !is<Running>()) return;
    if (open_) {
        const auto& after = open_->operation.plan().after;
        const auto used = std::ranges::find_if(
            revoked, [&](const auto& one) { return after.ranks_on(one.first) > 0; });
        if (used != revoked.end() && open_->operation.may_be_called_off())
            call_off_and_ask_again("host " + hosts_.name(used->first) + " is taken back");
        return;
    }
    const auto planned = plan_to_leave(revoked, view());
    const auto* resize = std::get_if<PlannedResize>(&planned);
    if (resize == nullptr || refuse_for_children(groups_.table(), ledger_.layout, resize->after,
                                                 hosts_.table().allocation()))
        return;
    NextStep leave;
    leave.respond = [](const wire::Reply&, bool) {};
    accept(leave, *resize);
    if (open_) open_->asked.reset();
}

void Broker::call_off_and_ask_again(const std::string& why) {
    if (auto again = std::exchange(open_->asked, std::nullopt)) {
        const auto& plan = open_->operation.plan();
        const auto reply = open_->take_reply();
        again->respond = [this, reply](const wire::Reply& answer, bool last) {
            if (last && reply) reply(answer.kind, answer.text);
            if (!reply && answer.kind == wire::ReplyKind::refused)
                streams_.notify_user("the resize ends here: " + answer.text);
        };
        again->continues = plan.asked_as;
        again->no_more_hosts.clear();
        for (const auto& group : plan.added)
            for (const auto& share : group.shares()) again->keeps.insert(share.host);
        queue_.push_front(std::move(*again));
    }
    tell(resize::CallOff{why});
}

}  // namespace ductile::broker
