#include "broker/job_history.hpp"

#include <fmt/format.h>

#include "core/counted.hpp"

namespace ductile::broker {

nlohmann::json JobHistory::resize(const OpenResize& resize, bool committed, const std::string& why,
                                  const core::Allocation& hosts) {
    const auto& plan = resize.operation.plan();
    const auto& summary = resize.operation.summary();
    const auto change = plan.change();
    const auto names = [&hosts](const core::Layout& layout) {
        auto named = nlohmann::json::array();
        for (const auto host : layout.hosts()) named.push_back(hosts.at(host).name);
        return named;
    };
    nlohmann::json record{
        {"transaction", plan.id.value},
        {"asked_as", plan.asked_as.value},
        {"kind", plan.kind()},
        {"method", plan::to_string(plan.strategy.method)},
        {"start", plan::to_string(plan.strategy.start)},
        {"overlap", plan::to_string(plan.strategy.overlap)},
        {"join", plan::to_string(plan.joins_in_background() ? plan::Joining::background
                                                            : plan::Joining::point)},
        {"memory", plan::to_string(plan.strategy.memory)},
        {"redistribution",
         plan::to_string(plan.strategy.redistribution == plan::Executor::automatic && committed
                             ? summary.switched.redistribution
                             : plan.strategy.redistribution)},
        {"from", plan.before.size()},
        {"to", plan.after.size()},
        {"parked", core::ranks_in(change.parking) - core::ranks_in(change.returning)},
        {"started", plan.shape.started},
        {"new_groups", plan.shape.groups},
        {"steps", plan.shape.steps},
        {"hosts_before", names(plan.before)},
        {"hosts_after", names(committed ? plan.after : plan.before)},
        {"outcome", committed ? "done" : "rolled_back"},
        {"why", why},
        {"point", summary.point},
        {"since_accepted_s", resize.marks()},
        {"total_s", resize.seconds_open()},
        {"spawn_s", summary.spawn_s},
        {"stall_s", summary.switched.seconds(resize::SwitchTime::stall)},
        {"vote_s", summary.switched.seconds(resize::SwitchTime::vote)},
        {"join_s", summary.switched.seconds(resize::SwitchTime::join)},
        {"redistribute_s", summary.switched.seconds(resize::SwitchTime::redistribute)},
        {"commit_s", summary.switched.seconds(resize::SwitchTime::commit)},
        {"rebuild_s", summary.switched.seconds(resize::SwitchTime::rebuild)},
        {"bytes_sent", summary.switched.bytes(resize::SwitchBytes::sent)},
        {"bytes_sent_ahead", summary.switched.bytes(resize::SwitchBytes::sent_ahead)},
        {"peak_bytes", summary.switched.bytes(resize::SwitchBytes::peak)}};
    if (plan.expected) {
        record["expected_total_s"] = plan.expected->total_s;
        record["expected_lost_s"] = plan.expected->lost_s;
    }
    events_.record_object("resize", record);
    if (resizes_.size() >= kept_resizes) resizes_.erase(resizes_.begin());
    resizes_.push_back(record);
    if (committed && !plan.added.empty() && resize.marks().contains("launched"))
        costs_.learn(plan.strategy, plan.shape,
                     resize.marks().at("bridged") - resize.marks().at("launched"));
    // The sources have reported the end of their switch. So a window that a source reports from now
    // on began after the resize.
    if (committed) efficiency_.forget();
    // A resize that is rolled back has cost time and energy, too.
    point_costs_.forget();
    // The inhibitors do not count a resize that has a next step: the next step must not wait.
    if (committed && !resize.next) {
        last_resize_point_ = summary.point;
        last_resize_ = Clock::now();
    }
    return record;
}

std::string rolled_back_text(int ranks, const std::string& why) {
    return fmt::format("rolled back, the job stays at {}: {}", core::counted(ranks, "rank"), why);
}

std::optional<Reply> JobHistory::outcome_of(core::TransactionId number) const {
    for (auto record = resizes_.rbegin(); record != resizes_.rend(); ++record) {
        if (record->value("asked_as", 0) != number.value &&
            record->value("transaction", 0) != number.value)
            continue;
        if (record->value("outcome", "") == "done")
            return Reply{ReplyKind::done, fmt::format("{} -> {} ranks", record->value("from", 0),
                                                      record->value("to", 0))};
        return Reply{ReplyKind::rolled_back, rolled_back_text(record->value("from", 0),
                                                              record->value("why", std::string()))};
    }
    return std::nullopt;
}

void JobHistory::end(int code) {
    events_.record_object("job_ended",
                          {{"code", code}, {"seconds", seconds()}, {"resizes", resizes_}});
}

// Uses the broker's own clock: the leader may have changed, and the clock of its host with it.
void JobHistory::pace(std::int64_t count, double clock_s, int ranks) {
    const auto now = Clock::now();
    if (points_ && count > *points_)
        point_s_ = std::chrono::duration<double>(now - counted_at_).count() /
                   static_cast<double>(count - *points_);
    if (!points_ || count != *points_) counted_at_ = now;
    points_ = count;
    point_costs_.pace(count, seconds());
    events_.record("pace", {{"points", count}, {"clock_s", clock_s}, {"ranks", ranks}});
}

std::optional<double> JobHistory::seconds_since_point() const {
    if (!points_) return std::nullopt;
    return std::chrono::duration<double>(Clock::now() - counted_at_).count();
}

std::optional<double> JobHistory::seconds_since_resize() const {
    if (!last_resize_) return std::nullopt;
    return std::chrono::duration<double>(Clock::now() - *last_resize_).count();
}

std::optional<std::int64_t> JobHistory::points_since_resize() const {
    if (!last_resize_ || !points_) return std::nullopt;
    return *points_ - last_resize_point_;
}

double JobHistory::seconds() const {
    return std::chrono::duration<double>(Clock::now() - started_).count();
}

}  // namespace ductile::broker
