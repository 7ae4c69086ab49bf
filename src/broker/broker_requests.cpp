// What users ask of a running job.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "broker/broker.hpp"
#include "broker/choose_way.hpp"

namespace ductile::broker {

namespace {

constexpr std::size_t most_pending = 64;

}  // namespace

void Broker::on_request(const wire::Request& request, const RequestServer::Respond& respond) {
    std::visit(
        wire::Overloaded{
            [&](const wire::ResizeRequest& r) { on_resize(r, respond); },
            [&](const wire::StatusRequest&) {
                constexpr auto any_bytes = nlohmann::json::error_handler_t::replace;
                respond({wire::ReplyKind::done, {}, status().dump(-1, ' ', false, any_bytes)},
                        true);
            },
            [&](const wire::CancelRequest&) {
                if (!transaction_)
                    return respond({wire::ReplyKind::refused, "no resize is pending", {}}, true);
                give_up("cancelled");
                respond({wire::ReplyKind::accepted, "the pending resize is called off", {}}, true);
            },
            [&](const wire::EndRequest&) {
                end_job(143, "ended on request");
                respond({wire::ReplyKind::accepted, "the job is being ended", {}}, true);
            },
        },
        request);
}

std::optional<std::string> Broker::refuse_resize(const wire::ResizeRequest& request) const {
    if (state_ == State::starting)
        return "the job is still starting (a program that makes no ductile::Job cannot be resized)";
    if (state_ == State::resuming) return "the job is just being taken over by this broker";
    if (state_ != State::running) return "the job is ending";
    if (!request.size && request.release.empty() && !request.renew)
        return "the size must be at least 1";
    if (request.renew) return std::nullopt;  // no change of size
    if (last_resize_ && limits_.inhibitor_s.value > 0) {
        const double since = std::chrono::duration<double>(Clock::now() - *last_resize_).count();
        if (since < limits_.inhibitor_s.value)
            return fmt::format("the last resize was {:.1f} s ago and the inhibitor is {} s", since,
                               limits_.inhibitor_s.value);
    }
    if (last_resize_ && limits_.inhibitor_points.value > 0 && pace_ &&
        pace_->count - last_resize_point_ < limits_.inhibitor_points.value)
        return fmt::format("the last resize was {} resize points ago and the inhibitor is {}",
                           pace_->count - last_resize_point_, limits_.inhibitor_points.value);
    return std::nullopt;
}

void Broker::on_resize(const wire::ResizeRequest& request, const RequestServer::Respond& respond) {
    const auto refuse = [&](const std::string& why) {
        respond({wire::ReplyKind::refused, why, {}}, true);
    };
    if (const auto why = refuse_resize(request)) return refuse(*why);
    if (transaction_ || !finishing_.empty()) {
        if (request.dry_run) return refuse("a resize is pending");
        if (pending_.size() >= most_pending) return refuse("too many resizes are waiting");
        if (transaction_ && request.replace && !transaction_->undoing) {
            pending_.push_front({request, respond});  // before any others that wait
            give_up("replaced by another request");
        } else {
            pending_.push_back({request, respond});
        }
        return;
    }

    const auto answer = choose_resize(request, view());
    if (const auto* refused = std::get_if<Refused>(&answer)) return refuse(refused->why);
    if (const auto* done = std::get_if<NothingToDo>(&answer))
        return respond({wire::ReplyKind::done, done->why, {}}, true);
    const auto& plan = std::get<PlannedResize>(answer);
    if (const auto why = refuse_for_children(plan)) return refuse(*why);
    if (request.dry_run) return respond({wire::ReplyKind::done, plan.table, {}}, true);

    if (const auto why = open_transaction(request, plan)) return refuse(*why);
    respond(
        {wire::ReplyKind::accepted,
         fmt::format("resize {}: {} -> {} ranks{}", transaction_->id.value, layout_.size(),
                     plan.after.size(), transaction_->replaces_all() ? ", all of them new" : "") +
             (plan.added.empty() ? ""
                                 : fmt::format(" ({} {} {})", plan::to_string(plan.way.method),
                                               plan::to_string(plan.way.start),
                                               plan::to_string(plan.way.overlap))),
         {}},
        !request.wait);
    if (request.wait)
        transaction_->reply = [respond](wire::ReplyKind kind, const std::string& text) {
            respond({kind, text, {}}, true);
        };
    if (plan.goes_on) transaction_->goes_on = the_rest_of(request, respond);
    begin();
    answer_freed();
    ticker_.cancel();
    wait_for_tick();
}

// With the parked ranks back the request is taken up again, before any others that wait.
std::function<void()> Broker::the_rest_of(const wire::ResizeRequest& request,
                                          const RequestServer::Respond& respond) {
    const RequestServer::Respond to_nobody = [this](const wire::Reply& reply, bool) {
        if (reply.kind == wire::ReplyKind::refused) say("the resize ends here: " + reply.text);
    };
    auto rest = request;
    rest.reclaim.clear();  // which the first part has done
    return [this, rest, respond = request.wait ? respond : to_nobody] {
        if (state_ == State::running) return pending_.push_front({rest, respond});
        respond({wire::ReplyKind::refused,
                 fmt::format("the program has ended; the job had come to {} ranks", layout_.size()),
                 {}},
                true);
    };
}

JobView Broker::view() const {
    JobView view;
    view.layout = layout_;
    view.allocation = rms_->allocation();
    view.living = living_hosts();
    view.given_back = given_back_;
    view.limits = limits_;
    view.mpi = spec_.mpi;
    view.way = spec_.way;
    view.automatic = spec_.automatic;
    view.costs = spec_.costs;
    view.next_group = next_group_;
    view.worlds_met = worlds_met_;
    view.wear = wear_;
    return view;
}

void Broker::start_next_request() {
    while (state_ == State::running && !transaction_ && finishing_.empty() && !pending_.empty()) {
        const auto next = std::move(pending_.front());
        pending_.pop_front();
        on_resize(next.request, next.respond);
    }
}

// A helper thread is stuck inside MPI somewhere: fresh processes can grow again, and there is one
// attempt, so it is made when nothing else is due.
void Broker::renew_if_worn() {
    const auto now = Clock::now();
    const bool quiet = state_ == State::running && !transaction_ && finishing_.empty();
    if (!quiet) quiet_since_ = now;
    const std::chrono::duration<double> since = now - quiet_since_;
    if (wear_ != Wear::helper) renews_itself_ = true;
    if (wear_ != Wear::helper || !renews_itself_ || since.count() < spec_.renew_after_s) return;
    say("the job is worn: its ranks are replaced");
    renews_itself_ = false;
    wire::ResizeRequest request;
    request.renew = true;
    on_resize(request, [this](const wire::Reply& reply, bool) {
        if (reply.kind == wire::ReplyKind::refused) say("they are not: " + reply.text);
    });
}

// As given, but for what the program's code has said since.
nlohmann::json Broker::options() const {
    auto all = spec_.options;
    all["min"] = to_json(limits_.min);
    all["max"] = to_json(limits_.max);
    all["preferred"] = to_json(limits_.preferred);
    all["multiple"] = to_json(limits_.multiple);
    all["inhibitor-points"] = to_json(limits_.inhibitor_points);
    all["inhibitor"] = to_json(limits_.inhibitor_s);
    return all;
}

// By the broker's own clock: the leader may have changed, and its host's clock with it.
void Broker::note_pace(const wire::Pace& pace) {
    const auto now = Clock::now();
    if (pace_ && pace.count > pace_->count)
        point_s_ = std::chrono::duration<double>(now - counted_at_).count() /
                   static_cast<double>(pace.count - pace_->count);
    if (!pace_ || pace.count != pace_->count) counted_at_ = now;
    pace_ = pace;
}

nlohmann::json Broker::range_json(const core::RankRange& range) const {
    return {{"group", range.group.value},
            {"host", host_name(range.host)},
            {"first", range.first.value},
            {"ranks", range.ranks}};
}

// How much of a world is left, and where.
nlohmann::json Broker::group_json(core::GroupId group) const {
    std::map<HostIndex, int> on_host;
    int parked = 0;
    std::optional<core::Rank> first_rank;
    for (const auto& range : layout_.active) {
        if (range.group != group) continue;
        on_host[range.host] += range.ranks;
        if (!first_rank) first_rank = layout_.rank_of({group, range.first});
    }
    for (const auto& range : layout_.parked)
        if (range.group == group) parked += range.ranks;
    nlohmann::json hosts = nlohmann::json::array();
    int ranks = 0;
    for (const auto& [host, count] : on_host) {
        hosts.push_back({{"host", host_name(host)}, {"ranks", count}});
        ranks += count;
    }
    return {{"id", group.value},
            {"ranks", ranks},
            {"parked", parked},
            {"first_rank", first_rank ? nlohmann::json(first_rank->value) : nlohmann::json()},
            {"hosts", std::move(hosts)}};
}

nlohmann::json Broker::status() const {
    static constexpr const char* states[] = {"starting", "running", "finishing",
                                             "ending",   "ended",   "resuming"};
    nlohmann::json active = nlohmann::json::array(), parked = nlohmann::json::array();
    int first_rank = 0;
    for (const auto& range : layout_.active) {
        active.push_back(range_json(range));
        active.back()["first_rank"] = first_rank;
        first_rank += range.ranks;
    }
    for (const auto& range : layout_.parked) parked.push_back(range_json(range));
    nlohmann::json groups = nlohmann::json::array();
    for (const auto group : layout_.groups()) groups.push_back(group_json(group));
    nlohmann::json hosts = nlohmann::json::array();
    for (std::size_t i = 0; i < rms_->allocation().hosts.size(); ++i) {
        const HostIndex host{static_cast<int>(i)};
        const auto given_back = given_back_.find(host);
        hosts.push_back({{"name", rms_->allocation().hosts[i].name},
                         {"slots", rms_->allocation().hosts[i].slots},
                         {"given_back", given_back == given_back_.end() ? 0 : given_back->second},
                         {"ranks", layout_.ranks_on(host)},
                         {"parked", layout_.parked_on(host)},
                         {"agent", agents_.has(host)}});
    }
    nlohmann::json result{
        {"job", spec_.id},
        {"state", states[static_cast<int>(state_)]},
        {"program", spec_.launch.program},
        {"mpi", spec_.mpi.implementation + " " + spec_.mpi.version},
        {"ranks", layout_.size()},
        {"parked", layout_.parked_size()},
        {"worn", wear_ != Wear::none},
        {"wear", to_string(wear_)},
        {"groups", groups},
        {"layout", {{"active", active}, {"parked", parked}}},
        {"hosts", hosts},
        {"groups_ever", next_group_},
        {"resizes", history_},
        {"waiting", pending_.size()},
        {"options", options()},
        {"broker_pid", ::getpid()},
        {"running_s", std::chrono::duration<double>(Clock::now() - started_).count()}};
    if (pace_) {
        result["points"] = pace_->count;
        if (point_s_ > 0) result["point_s"] = point_s_;
    }
    if (transaction_)
        result["pending"] = {
            {"transaction", transaction_->id.value},
            {"phase", transaction_->undoing ? "rolling back" : to_text(transaction_->phase)},
            {"from", transaction_->before.size()},
            {"to", transaction_->after.size()}};
    return result;
}

}  // namespace ductile::broker
