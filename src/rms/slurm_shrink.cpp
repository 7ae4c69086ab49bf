#include "rms/slurm_shrink.hpp"

#include <chrono>
#include <optional>
#include <vector>

#include "ductile/error.hpp"
#include "os/job_clock.hpp"
#include "rms/slurm_output.hpp"

namespace ductile::rms {

namespace {

constexpr std::chrono::milliseconds host_is_usable_within{2500};

}  // namespace

void SlurmShrink::go_on() {
    if (is_stopped_ || holds_ > 0 || is_asking_ || is_repeating_ || !parent_.is_to_shrink()) return;
    is_asking_ = true;
    client_.run(commands_.list_steps(), [this](const CommandResult& result) { on_steps(result); });
}

void SlurmShrink::on_steps(const CommandResult& result) {
    is_asking_ = false;
    if (is_stopped_ || holds_ > 0) return;
    SlurmParent::Notices notices;
    std::optional<std::vector<std::string>> kept;
    try {
        kept = parent_.shrink(parse_step_hosts(output_of("squeue", result)), os::JobClock::now(),
                              notices);
    } catch (const Error&) {
        return;  // the next go_on() asks again
    }
    for (const auto& text : notices) notify_user_(text);
    if (kept)
        client_.run(commands_.shrink_parent(*kept),
                    [this](const CommandResult& ended) { on_end(ended); });
}

void SlurmShrink::on_end(const CommandResult& result) {
    if (result.succeeded()) {
        parent_.shrunk();
        if (parent_.has_whole_hosts()) repeat_later();
        return;
    }
    if (!is_answer(result)) return parent_.shrink_is_unclear();
    client_.run(commands_.show_parent(), [this, why = reason_of("scontrol", result)](
                                             const CommandResult& shown) { on_shown(why, shown); });
}

void SlurmShrink::on_shown(const std::string& why_not, const CommandResult& result) {
    try {
        const auto now = parse_shown_job(output_of("scontrol", result)).hosts;
        for (const auto& text : parent_.not_shrunk(why_not, now)) notify_user_(text);
    } catch (const Error&) {
        parent_.shrink_is_unclear();
    }
}

void SlurmShrink::repeat_later() {
    if (!timer_) timer_.emplace(client_.io());
    timer_->expires_after(host_is_usable_within);
    timer_->async_wait([this](const asio::error_code& failed) {
        if (!failed) repeat();
    });
}

// A merge, or a host that is just leaving, changes a job anyway.
void SlurmShrink::repeat() {
    if (is_stopped_ || holds_ > 0 || is_asking_ || is_repeating_) return;
    is_repeating_ = true;
    client_.run(commands_.list_steps(), [this](const CommandResult& steps) {
        std::optional<std::vector<std::string>> kept;
        try {
            kept = parent_.kept(parse_step_hosts(output_of("squeue", steps)));
        } catch (const Error&) {
            kept.reset();
        }
        is_repeating_ = kept && !is_stopped_;
        if (is_repeating_)
            client_.run(commands_.shrink_parent(*kept),
                        [this](const CommandResult&) { is_repeating_ = false; });
    });
}

}  // namespace ductile::rms
