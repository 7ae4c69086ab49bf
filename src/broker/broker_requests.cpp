// What users ask of a running job.
#include <fmt/format.h>

#include "broker/broker.hpp"
#include "broker/job_status_json.hpp"
#include "broker/resize_request_wire.hpp"

namespace ductile::broker {

void Broker::on_request(const wire::Request& request, const RequestServer::Respond& respond) {
    std::visit(wire::Overloaded{
                   [&](const wire::ResizeRequest& r) {
                       const auto asked = request_from(r);
                       if (!asked)
                           return respond(
                               {wire::ReplyKind::refused, "the size must be at least 1", {}}, true);
                       decide(&ResizeRequests::on_resize, NextStep{*asked, respond});
                   },
                   [&](const wire::AwaitRequest& r) { on_await(r.transaction, respond); },
                   [&](const wire::StatusRequest&) {
                       respond({wire::ReplyKind::done, {}, status_of(parts())}, true);
                   },
                   [&](const wire::CancelRequest&) { on_cancel(respond); },
                   [&](const wire::EndRequest&) {
                       end_job(143, "ended on request");
                       respond({wire::ReplyKind::accepted, "the job is being ended", {}}, true);
                   },
               },
               request);
}

void Broker::on_await(core::TransactionId resize, const RequestServer::Respond& respond) {
    if (auto* recovery = life_.recovery())  // settled within a minute
        return recovery->defer([this, resize, respond] { on_await(resize, respond); });
    auto* step = resize_ && resize_->next && resize_->next->continues == resize
                     ? &*resize_->next
                     : requests_.begun_as(resize);
    if (step != nullptr) {
        step->request.wait = true;
        step->respond = respond;
        return;
    }
    if (resize_.is(resize) || (resize_ && resize_->operation.plan().asked_as == resize))
        return resize_->answer_to([respond](wire::ReplyKind kind, const std::string& text) {
            respond({kind, text, {}}, true);
        });
    const auto outcome = history_.outcome_of(resize);
    respond(
        outcome.value_or(wire::Reply{wire::ReplyKind::refused,
                                     fmt::format("the broker knows of no resize {}", resize.value),
                                     {}}),
        true);
}

void Broker::on_cancel(const RequestServer::Respond& respond) {
    if (life_.is<life::Starting>())
        return respond(
            {wire::ReplyKind::refused, "the job is still starting; `ductile end` ends it", {}},
            true);
    if (!resize_.is_resizing() && !requests_.queue().awaiting())
        return respond({wire::ReplyKind::refused, "no resize is pending", {}}, true);
    if (resize_.is_resizing() && resize_->operation.is_certain())
        return respond({wire::ReplyKind::refused,
                        "the data of the pending resize are on their way, and with tight memory "
                        "it cannot be called off then",
                        {}},
                       true);
    RequestEffects effects;
    requests_.stop_awaiting(wire::ReplyKind::rolled_back, "cancelled", effects);
    carry_out(effects);
    if (resize_.is_resizing()) resize_.tell(resize::CallOff{"cancelled"});
    respond({wire::ReplyKind::accepted, "the pending resize is called off", {}}, true);
}

}  // namespace ductile::broker
