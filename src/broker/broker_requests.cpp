// What users ask of a running job.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "broker/broker.hpp"
#include "plan/launch_plan.hpp"
#include "plan/plan_table.hpp"
#include "plan/shrink_plan.hpp"

namespace ductile::broker {

namespace {

constexpr std::size_t most_pending = 64;

}  // namespace

void Broker::on_request(const wire::Request& request, const RequestServer::Respond& respond) {
    std::visit(
        wire::Overloaded{
            [&](const wire::ResizeRequest& r) { on_resize(r, respond); },
            [&](const wire::StatusRequest&) {
                respond({wire::ReplyKind::done, {}, status().dump()}, true);
            },
            [&](const wire::CancelRequest&) {
                if (!transaction_)
                    return respond({wire::ReplyKind::refused, "no resize is pending", {}}, true);
                newcomer_lost("cancelled");
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
    if (state_ != State::running) return "the job is ending";
    if (spec_.one_world) return "the job was started with --one-world and cannot be resized yet";
    if (request.size == 0 && request.release.empty()) return "the size must be at least 1";
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
        if (transaction_ && request.replace && !transaction_->undoing)
            newcomer_lost("replaced by another request");
        if (transaction_ || !finishing_.empty()) {
            if (pending_.size() >= most_pending) return refuse("too many resizes are waiting");
            pending_.push_back({request, respond});
            return;
        }
    }

    // The plan.
    int size = request.size;
    std::vector<core::Group> added;
    std::vector<core::GroupId> leaving;
    std::string table;
    if (!request.release.empty()) {
        std::vector<HostIndex> hosts;
        for (const auto& name : request.release) {
            const auto& known = rms_->allocation().hosts;
            const auto it = std::find_if(known.begin(), known.end(),
                                         [&](const auto& h) { return h.name == name; });
            if (it == known.end()) return refuse("there is no host '" + name + "'");
            hosts.push_back(HostIndex{static_cast<int>(it - known.begin())});
        }
        const auto planned = plan::plan_release(layout_, hosts);
        if (const auto* refusal = std::get_if<plan::ShrinkRefusal>(&planned))
            return refuse(refusal->reason);
        const auto& shrink = std::get<plan::ShrinkPlan>(planned);
        leaving = shrink.leaving;
        size = shrink.after.size();
        table = plan::to_table(shrink, layout_, rms_->allocation());
    } else if (request.unit == wire::SizeUnit::hosts) {
        const auto& hosts = rms_->allocation().hosts;
        const auto now = layout_.hosts();
        if (size > static_cast<int>(hosts.size()))
            return refuse(
                fmt::format("{} hosts are asked for, the job may use {}", size, hosts.size()));
        if (size <= static_cast<int>(now.size())) {
            // The hosts that joined last leave.
            size = 0;
            for (int i = 0; i < request.size; ++i)
                size += layout_.ranks_on(now[static_cast<std::size_t>(i)]);
        } else {
            int more = request.size - static_cast<int>(now.size());
            size = layout_.size();
            for (std::size_t i = 0; i < hosts.size() && more > 0; ++i) {
                const int ranks = layout_.ranks_on(HostIndex{static_cast<int>(i)});
                size += std::max(0, hosts[i].slots - ranks);
                if (ranks == 0) --more;
            }
        }
    }
    if (const auto why = objection(limits_, size)) return refuse(*why);
    if (size == layout_.size())
        return respond(
            {wire::ReplyKind::done, fmt::format("the job has {} ranks already", size), {}}, true);
    if (size > layout_.size()) {
        if (worn_)
            return refuse(
                "the job is worn (a thread of a rank is stuck inside MPI since a newcomer died): "
                "it can "
                "shrink and end, but not grow; restart it to grow again");
        const auto planned = plan::plan_launch(layout_, room(), size, core::GroupId{next_group_});
        if (const auto* refusal = std::get_if<plan::ExpandRefusal>(&planned))
            return refuse(refusal->reason);
        const auto& launch = std::get<plan::LaunchPlan>(planned);
        added = launch.added;
        const auto& mpi = spec_.mpi;
        const int together = static_cast<int>(layout_.groups.size() + added.size());
        if (mpi.max_worlds_in_communicator != 0 && together >= mpi.max_worlds_in_communicator)
            return refuse(fmt::format(
                "{} groups would be too many: {} {} allows fewer than {} worlds in one "
                "communicator",
                together, mpi.implementation, mpi.version, mpi.max_worlds_in_communicator));
        // Each group is a world that the oldest members meet; an MPI that runs out of them aborts.
        const int ever = next_group_ + static_cast<int>(added.size());
        if (mpi.max_worlds_in_life != 0 && ever >= mpi.max_worlds_in_life)
            return refuse(fmt::format(
                "the job has used {} of the {} worlds that a process of {} {} can meet in its "
                "life; it can shrink and end, but not grow",
                next_group_, mpi.max_worlds_in_life, mpi.implementation, mpi.version));
        table = plan::to_table(launch, layout_, room());
    } else if (leaving.empty()) {
        const auto planned = plan::plan_shrink(layout_, size);
        if (const auto* refusal = std::get_if<plan::ShrinkRefusal>(&planned))
            return refuse(refusal->reason);
        const auto& shrink = std::get<plan::ShrinkPlan>(planned);
        leaving = shrink.leaving;
        table = plan::to_table(shrink, layout_, rms_->allocation());
    }
    if (request.dry_run) return respond({wire::ReplyKind::done, table, {}}, true);

    const core::TransactionId id{next_transaction_++};
    transaction_.emplace();
    if (request.switch_within_s > 0)
        transaction_->switch_before =
            Clock::now() + std::chrono::duration_cast<Clock::duration>(
                               std::chrono::duration<double>(request.switch_within_s));
    respond({wire::ReplyKind::accepted,
             fmt::format("resize {}: {} -> {} ranks", id.value, layout_.size(), size),
             {}},
            !request.wait);
    if (request.wait)
        transaction_->reply = [respond](wire::ReplyKind kind, const std::string& text) {
            respond({kind, text, {}}, true);
        };
    next_group_ += static_cast<int>(added.size());
    if (!added.empty())
        begin_expand(id, std::move(added));
    else
        begin_shrink(id, std::move(leaving));
    ticker_.cancel();
    wait_for_tick();
}

void Broker::start_next_request() {
    while (state_ == State::running && !transaction_ && finishing_.empty() && !pending_.empty()) {
        const auto next = std::move(pending_.front());
        pending_.pop_front();
        on_resize(next.request, next.respond);
    }
}

nlohmann::json Broker::options() const {
    const auto one = [](const auto& setting) {
        return nlohmann::json{{"value", setting.value}, {"from", to_text(setting.origin)}};
    };
    return {{"min", one(limits_.min)},
            {"max", one(limits_.max)},
            {"preferred", one(limits_.preferred)},
            {"multiple", one(limits_.multiple)},
            {"inhibitor_points", one(limits_.inhibitor_points)},
            {"inhibitor_s", one(limits_.inhibitor_s)}};
}

nlohmann::json Broker::status() const {
    static constexpr const char* states[] = {"starting", "running", "finishing", "ending", "ended"};
    nlohmann::json groups = nlohmann::json::array();
    for (const auto& group : layout_.groups) {
        nlohmann::json shares = nlohmann::json::array();
        for (const auto& share : group.shares())
            shares.push_back({{"host", host_name(share.host)}, {"ranks", share.ranks}});
        groups.push_back({{"id", group.id.value},
                          {"host", host_name(group.host)},
                          {"ranks", group.ranks},
                          {"first_rank", layout_.first_rank(group.id).value},
                          {"hosts", std::move(shares)}});
    }
    nlohmann::json hosts = nlohmann::json::array();
    for (std::size_t i = 0; i < rms_->allocation().hosts.size(); ++i) {
        const HostIndex host{static_cast<int>(i)};
        hosts.push_back({{"name", rms_->allocation().hosts[i].name},
                         {"slots", rms_->allocation().hosts[i].slots},
                         {"ranks", layout_.ranks_on(host)},
                         {"agent", agents_.has(host)}});
    }
    nlohmann::json result{
        {"job", spec_.id},
        {"state", states[static_cast<int>(state_)]},
        {"program", spec_.launch.program},
        {"mpi", spec_.mpi.implementation + " " + spec_.mpi.version},
        {"ranks", layout_.size()},
        {"worn", worn_},
        {"groups", groups},
        {"hosts", hosts},
        {"groups_ever", next_group_},
        {"resizes", history_},
        {"waiting", pending_.size()},
        {"options", options()},
        {"broker_pid", ::getpid()},
        {"running_s", std::chrono::duration<double>(Clock::now() - started_).count()}};
    if (pace_) {
        result["points"] = pace_->count;
        if (pace_before_ && pace_->count > pace_before_->count)
            result["point_s"] = (pace_->time_s - pace_before_->time_s) /
                                static_cast<double>(pace_->count - pace_before_->count);
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
