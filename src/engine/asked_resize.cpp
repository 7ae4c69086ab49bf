#include "engine/asked_resize.hpp"

namespace ductile::engine {

namespace {

using State = ResizeAnswer::State;

State state_after(wire::ReplyKind kind) {
    switch (kind) {
        case wire::ReplyKind::accepted:
            return State::open;
        case wire::ReplyKind::done:
            return State::done;
        case wire::ReplyKind::refused:
            return State::refused;
        default:  // a failed resize is rolled back, too
            return State::rolled_back;
    }
}

ResizeAnswer lost(const char* why) {
    return {State::lost, why};
}

}  // namespace

void AskedResize::ask(AgentChannel& link, wire::ResizeRequest request) {
    const std::lock_guard lock(mutex_);
    answer_ = has_broker_ ? ResizeAnswer{State::open, {}}
                          : lost(
                                "the job has no broker, so nobody got the request; make it again "
                                "later");
    if (!has_broker_) return;
    request.wait = true;
    link.send(wire::ResizeAsked{++number_, std::move(request)});
}

void AskedResize::on_message(const wire::ToRank& message) {
    if (const auto* answered = std::get_if<wire::ResizeAnswered>(&message)) on_answer(*answered);
    if (std::holds_alternative<wire::BrokerLost>(message)) on_broker(false);
    if (std::holds_alternative<wire::BrokerBack>(message)) on_broker(true);
}

void AskedResize::on_answer(const wire::ResizeAnswered& answered) {
    const std::lock_guard lock(mutex_);
    if (answered.number == number_) answer_ = {state_after(answered.kind), answered.text};
}

void AskedResize::on_broker(bool is_there) {
    const std::lock_guard lock(mutex_);
    has_broker_ = is_there;
    if (!is_there && answer_.state == State::open)
        answer_ = lost(
            "the job's broker ended before it answered, and another one may still do the resize; "
            "make the request again");
}

ResizeAnswer AskedResize::answer() const {
    const std::lock_guard lock(mutex_);
    return answer_;
}

}  // namespace ductile::engine
