#include "job/dmr/program.hpp"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "ductile/compat/dmr.h"
#include "job/job_access.hpp"

namespace ductile::dmr {

Program::Program(std::unique_ptr<BackEnd> back_end)
    : back_end_(std::move(back_end)),
      registered_(back_end_->job().replicate("dmr.steps", DMR_it, size_, compared_)) {
    look_who_is_there();
    tell_terms();
    if (!was_added()) return;
    back_end_->begin_redistribution();
    begin_redistribution(DMR_comm_size);
}

void Program::look_who_is_there() {
    DMR_comm_rank = back_end_->job().rank();
    DMR_comm_size = back_end_->job().size();
}

void Program::begin_redistribution(int new_size) {
    DMR_comm_prev_size = size_;
    DMR_action = new_size < size_ ? 2 : 1;
    inhibitor_.restart();
}

bool Program::check() {
    if (!back_end_->job().member())
        throw UsageError("it is called during a redistribution, by a process that is replaced");
    has_checked_ = true;
    if (!inhibitor_.passes()) return false;
    size_ = back_end_->job().size();
    const auto new_size = back_end_->reconfigure();
    if (!new_size) return false;
    if (back_end_->job().member()) look_who_is_there();
    begin_redistribution(*new_size);
    return true;
}

void Program::end_redistribution() {
    back_end_->end_redistribution();
    DMR_action = 0;
}

void Program::set_limits(const Limits& limits) {
    if (back_end_->is_one_world() || !was_added() || has_checked_) {
        compared_ = limits;
        tell_terms();
    }
    if (limits == limits_) return;
    limits_ = limits;
    tell_options();
}

void Program::tell_terms() {
    const auto& [min, max, preferred, multiple] = compared_;
    JobAccess::set_terms(back_end_->job(), compared_ == Limits{}
                                               ? std::string("no DMR_Set_parameters")
                                               : fmt::format("DMR_Set_parameters({}, {}, {}, {})",
                                                             min, max, preferred, multiple));
}

void Program::inhibit_for(double seconds) {
    if (!(seconds >= 0 && seconds < 1e9))
        throw InputError("the inhibitor is " + std::to_string(seconds) +
                         " s; it must be at least 0, and below 10^9");
    inhibitor_s_ = seconds;
    tell_options();
}

void Program::tell_options() {
    Options options;
    options.min = limits_.min;
    options.max = limits_.max;
    options.preferred = limits_.preferred;
    options.multiple = limits_.multiple;
    options.inhibitor = std::chrono::milliseconds(std::llround(inhibitor_s_ * 1e3));
    options.one_world = back_end_->is_one_world();
    JobAccess::set_options(back_end_->job(), options);
}

void Program::look_at_each(int nth_check) {
    if (nth_check < 1)
        throw InputError("the inhibitor is " + std::to_string(nth_check) +
                         " steps; it must be at least 1");
    inhibitor_.let_each_pass(nth_check);
}

}  // namespace ductile::dmr
