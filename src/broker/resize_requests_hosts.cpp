// Requests that wait for hosts, and hosts that are taken back.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "broker/accepted_json.hpp"
#include "broker/child_hosts.hpp"
#include "broker/choose_strategy.hpp"
#include "broker/leave_plan.hpp"
#include "broker/requested_hosts.hpp"
#include "broker/resize_requests.hpp"
#include "broker/size_in_range.hpp"
#include "core/counted.hpp"
#include "policy/hosts_within.hpp"

namespace ductile::broker {

namespace {

using namespace std::chrono_literals;
using Life = RequestContext::Life;

/// For a range of sizes, the largest size is taken for which hosts are granted within this time.
constexpr auto at_once = 5s;

constexpr auto never = WallTime::max();

WallTime after(WallTime now, double seconds) {
    if (seconds <= 0) return never;
    return now + std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1e3));
}

std::string asked_text(core::TransactionId resize, int hosts) {
    return fmt::format("resize {}: {} {} asked for", resize.value,
                       core::counted(hosts, "more host"), hosts == 1 ? "is" : "are");
}

resize::EndJob cannot_start(const std::string& why) {
    return {resize::code_lost, "cannot start the job: " + why};
}

std::vector<std::string> names_of(const std::vector<core::HostIndex>& hosts,
                                  const core::Allocation& all) {
    std::vector<std::string> names;
    for (const auto host : hosts) names.push_back(all.at(host).name);
    return names;
}

/// Only a part of the hosts was granted: the request may lead to a smaller size.
void take_part(NextStep& asked, int present) {
    auto* size = std::get_if<NewSize>(&asked.request.goal);
    if (size == nullptr || !size->range.is_one()) return;
    size->range.lower = std::min(present + 1, size->range.upper);
}

}  // namespace

int ResizeRequests::slots_of_new_hosts(const JobView& job) const {
    return broker::slots_of_new_hosts(job, asking_.slots);
}

void ResizeRequests::ask(AwaitingHosts request, const HostWish& wish, AskForHosts order,
                         const RequestContext& now, RequestEffects& out) {
    order.need.wanted_by = request.id;
    // A user may set the slots of a host. If the user does not, a host with fewer slots helps, too.
    const int min_slots = asking_.slots > 0 ? wish.slots : 1;
    order.need.request = {wish.hosts,
                          {min_slots, now.hosts.failed},
                          request.asked.only_at_once && now.hosts.policy_spares_waiting_jobs};
    order.need.part = wish.part;
    if (request.asked.only_at_once)
        order.need.until = now.now + policy::hosts_within;
    else if (request.aim == Aim::largest && is_range(request.asked.request))
        order.need.until = now.now + at_once;
    request.hosts = wish.hosts;
    queue_.await(std::move(request));
    add(out, RecordEvent{"hosts_asked", {{"hosts", wish.hosts}, {"min_slots", min_slots}}});
    add(out, std::move(order));
}

void ResizeRequests::on_asked(const AskForHosts& order, const std::optional<std::string>& why,
                              RequestEffects& out) {
    if (!why) {
        if (order.said) add(out, *order.said);
        if (!order.notice.empty()) add(out, NotifyUser{order.notice});
        return;
    }
    static_cast<void>(queue_.take_awaiting());
    if (order.askers)
        add(out, Answer{*order.askers, {ReplyKind::refused, *why}});
    else
        add(out, cannot_start(*why));
}

void ResizeRequests::ask_for_first_hosts(Aim aim, const RequestContext& now, RequestEffects& out) {
    const auto wish = hosts_to_start(first_, limits_, slots_of_new_hosts(now.job), aim,
                                     now.job.living.total_slots());
    if (!wish) return add(out, cannot_start("it needs too many hosts"));
    AwaitingHosts request;
    request.asked.request.goal = NewSize{first_};
    request.aim = aim;
    AskForHosts order;
    order.need.until = never;
    const bool has_some = now.job.living.total_slots() > 0;
    order.notice = fmt::format("{} {} asked for ({})",
                               core::counted(wish->hosts, has_some ? "more host" : "host"),
                               wish->hosts == 1 ? "is" : "are", now.hosts.granted_by);
    ask(std::move(request), *wish, std::move(order), now, out);
}

bool ResizeRequests::await_hosts(NextStep asked, Aim aim, const RequestContext& now,
                                 RequestEffects& out) {
    const auto wish = hosts_to_grow(asked.request, now.job, slots_of_new_hosts(now.job), aim);
    if (!wish) return false;
    if (asked.request.dry_run) {
        const auto text =
            fmt::format("{} of {} would be asked for\n", core::counted(wish->hosts, "more host"),
                        core::counted(wish->slots, "slot"));
        add(out, Answer{asked.askers, {ReplyKind::done, text}});
        return true;
    }
    AskForHosts order;
    order.need.until = after(now.now, asking_.within_s);
    order.askers = asked.askers;
    if (asked.continues.value == 0) {
        order.said = {
            asked.askers,
            {ReplyKind::accepted, asked_text(now.next_id, wish->hosts), accepted_as(now.next_id)},
            !asked.request.wait};
        asked.askers = later(asked.request, asked.askers);
        asked.continues = now.next_id;
    }
    ask({std::move(asked), now.next_id, 0, aim}, *wish, std::move(order), now, out);
    return true;
}

void ResizeRequests::on_hosts_ready(const HostsReady& ready, const RequestContext& now,
                                    RequestEffects& out) {
    if (!queue_.awaiting() || queue_.awaiting()->id != ready.wanted_by) return;
    auto awaiting = *queue_.take_awaiting();
    add(out, RecordEvent{"hosts_granted", {{"hosts", names_of(ready.hosts, now.hosts.all)}}});
    if (now.life == Life::starting) {
        const auto planned = plan_first_world(first_, now.job.allocation, limits_);
        if (const auto* refused = std::get_if<Refused>(&planned)) {
            // The granted hosts have fewer slots than expected.
            const bool may_grow =
                !ready.hosts.empty() && hosts_to_start(first_, limits_, slots_of_new_hosts(now.job),
                                                       Aim::smallest, now.job.living.total_slots());
            if (may_grow) return ask_for_first_hosts(Aim::smallest, now, out);
            return add(out, resize::EndJob{resize::code_lost, refused->why});
        }
        return add(out, StartWorld{std::get<core::Group>(planned)});
    }
    auto& asked = awaiting.asked;
    // If only a part of the hosts was granted, the request asks for no more. If all were granted
    // and are not enough, the request asks for more: the job may have lost other hosts meanwhile.
    if (static_cast<int>(ready.hosts.size()) < awaiting.hosts) {
        take_part(asked, now.job.layout.size());
        asked.no_more_hosts = "no more hosts were granted";
    }
    queue_.push_front(std::move(asked));
}

void ResizeRequests::on_hosts_denied(const HostsDenied& denied, const RequestContext& now,
                                     RequestEffects& out) {
    if (!queue_.awaiting() || queue_.awaiting()->id != denied.wanted_by) return;
    auto [asked, id, hosts, aim] = *queue_.take_awaiting();
    add(out, RecordEvent{"hosts_denied", {{"hosts", hosts}, {"why", denied.reason}}});
    const bool may_be_smaller =
        is_range(asked.request) && aim == Aim::largest && !asked.only_at_once;
    if (now.life == Life::starting) {
        if (may_be_smaller) return ask_for_first_hosts(Aim::smallest, now, out);
        return add(out, cannot_start(denied.reason));
    }
    if (may_be_smaller && std::holds_alternative<Refused>(choose_resize(asked.request, now.job)) &&
        await_hosts(asked, Aim::smallest, now, out))
        return;
    asked.no_more_hosts = denied.reason;
    queue_.push_front(std::move(asked));
}

namespace {

std::optional<std::string> why_not_left(const std::map<core::HostIndex, WallTime>& hosts,
                                        const RequestContext& now) {
    const auto planned = plan_to_leave(hosts, now.job);
    if (const auto* refused = std::get_if<Refused>(&planned)) return refused->why;
    for (const auto& [host, when] : hosts)
        if (now.groups.has_children_on(host))
            return fmt::format(
                "processes that the program has started by MPI_Comm_spawn still run on {}",
                now.hosts.all.at(host).name);
    const auto* resize = std::get_if<PlannedResize>(&planned);
    if (resize == nullptr) return std::nullopt;
    return refuse_for_children(now.groups, now.job.layout, resize->after, now.hosts.all);
}

using RevokedHosts = std::map<core::HostIndex, WallTime>;

/// The hosts that the job can leave together. If the job cannot leave all, earlier deadlines count
/// first, then fewer ranks.
RevokedHosts hosts_to_leave(const RevokedHosts& revoked, const RequestContext& now) {
    if (!why_not_left(revoked, now)) return revoked;
    std::vector<core::HostIndex> in_order;
    for (const auto& [host, deadline] : revoked) in_order.push_back(host);
    std::ranges::stable_sort(in_order, {}, [&](core::HostIndex host) {
        return std::pair(revoked.at(host), now.job.layout.ranks_on(host));
    });
    RevokedHosts leave;
    for (const auto host : in_order) {
        leave.emplace(host, revoked.at(host));
        if (why_not_left(leave, now)) leave.erase(host);
    }
    return leave;
}

/// A host that is taken back and because of which the open resize is called off: the resize starts
/// ranks there, or it keeps ranks there although the job can leave the host. If the job cannot
/// leave the host, a call-off is of no use: the same resize would follow again.
std::optional<core::HostIndex> host_against(const resize::ResizeOperation& open,
                                            const RequestContext& now) {
    if (!open.may_be_called_off()) return std::nullopt;
    const auto& plan = open.plan();
    const auto leave = hosts_to_leave(now.hosts.revoked, now);
    for (const auto& [host, when] : now.hosts.revoked) {
        const bool starts = std::ranges::any_of(
            plan.added, [on = host](const core::Group& group) { return group.ranks_on(on) > 0; });
        if (starts || (leave.contains(host) && plan.after.ranks_on(host) > 0)) return host;
    }
    return std::nullopt;
}

}  // namespace

RequestEffects news_of(const HostMustGo& must_go, const RequestContext& now) {
    const std::chrono::duration<double> left = must_go.deadline - now.now;
    const auto& name = now.hosts.all.at(must_go.host).name;
    // If the job cannot leave the host, the user is told when the job ends because of it.
    auto leave = hosts_to_leave(now.hosts.revoked, now);
    leave.emplace(must_go.host, must_go.deadline);
    if (const auto why = why_not_left(leave, now))
        return {RecordEvent{"host_revoked",
                            {{"host", name}, {"within_s", left.count()}, {"cannot_leave", *why}}}};
    return {RecordEvent{"host_revoked", {{"host", name}, {"within_s", left.count()}}},
            NotifyUser{fmt::format("host {} is taken back in {:.1f} s", name,
                                   std::max(0.0, left.count()))}};
}

std::string why_not_left(core::HostIndex host, const HostTableState& table,
                         const RequestContext& now) {
    if (table.hosts.at(static_cast<std::size_t>(host.value)).state != host::State{host::Lost{true}})
        return {};
    const auto why = why_not_left({{host, {}}}, now);
    return why ? ", and the job could not leave it: " + *why : std::string();
}

void ResizeRequests::leave_revoked_hosts(const RequestContext& now, RequestEffects& out) const {
    const auto& revoked = now.hosts.revoked;
    if (revoked.empty() || now.life != Life::running) return;
    if (now.open != nullptr) {
        const auto host = host_against(*now.open, now);
        if (host)
            add(out, CallOffAndAskAgain{"host " + now.hosts.all.at(*host).name + " is taken back"});
        return;
    }
    const auto planned = plan_to_leave(hosts_to_leave(revoked, now), now.job);
    if (const auto* resize = std::get_if<PlannedResize>(&planned))
        add(out, Accept{{}, *resize, false});
}

}  // namespace ductile::broker
