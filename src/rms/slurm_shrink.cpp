#include "rms/slurm_shrink.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <optional>
#include <string_view>
#include <vector>

#include "ductile/error.hpp"
#include "rms/slurm_output.hpp"

namespace ductile::rms {

namespace {

/// Whether scontrol got an answer from slurmctld. If not, slurmctld may still carry the command
/// out.
bool is_answer(const CommandResult& result) {
    constexpr std::array<std::string_view, 3> no_answer{"timed out", "contact", "connect"};
    return result.ended == Ended::exited &&
           std::ranges::none_of(no_answer, [&result](std::string_view text) {
               return result.err.find(text) != std::string::npos;
           });
}

}  // namespace

void SlurmShrink::go_on() {
    if (is_stopped_ || is_asking_ || !parent_.is_to_shrink()) return;
    is_asking_ = true;
    client_.run(commands_.list_steps(), [this](const CommandResult& result) { on_steps(result); });
}

void SlurmShrink::on_steps(const CommandResult& result) {
    is_asking_ = false;
    if (is_stopped_) return;
    SlurmParent::Notices notices;
    std::optional<std::vector<std::string>> kept;
    try {
        kept = parent_.shrink(parse_step_hosts(output_of("squeue", result)),
                              std::chrono::steady_clock::now(), notices);
    } catch (const Error&) {
        return;  // the next go_on() asks again
    }
    for (const auto& text : notices) notify_user_(text);
    if (kept)
        client_.run(commands_.shrink_parent(*kept),
                    [this](const CommandResult& ended) { on_end(ended); });
}

void SlurmShrink::on_end(const CommandResult& result) {
    if (result.succeeded()) return parent_.shrunk();
    if (!is_answer(result)) return parent_.shrink_is_unclear();
    std::string why;
    try {
        static_cast<void>(output_of("scontrol", result));
    } catch (const Error& error) {
        why = error.what();
    }
    client_.run(commands_.show_parent(),
                [this, why](const CommandResult& shown) { on_shown(why, shown); });
}

void SlurmShrink::on_shown(const std::string& why_not, const CommandResult& result) {
    try {
        const auto now = parse_shown_job(output_of("scontrol", result)).hosts;
        for (const auto& text : parent_.not_shrunk(why_not, now)) notify_user_(text);
    } catch (const Error&) {
        parent_.shrink_is_unclear();
    }
}

}  // namespace ductile::rms
