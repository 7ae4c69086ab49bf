// How a job comes to its end.
#include "broker/broker.hpp"

namespace ductile::broker {

namespace {

using namespace std::chrono_literals;

constexpr auto end_within = 10s;
constexpr auto absent_within = 1s;  ///< for agents that were just started, until they connect

}  // namespace

void Broker::end_job(int code, const std::string& why) {
    if (!life_.end(why)) return;
    suspension_.call_off();
    note_failure(code);
    journal("the job is ended");
    streams_.notify_user(why);
    history_.event("job_ending", {{"code", code}, {"why", why}});
    const std::string text = "the job has ended: " + why;
    if (resize_) {
        answer(resize_->take_askers(), {ReplyKind::failed, text});
        resize_.clear();
    }
    RequestEffects dropped;
    requests_.drop_all(ReplyKind::failed, text, dropped);
    carry_out(dropped);
    hosts_.end();
    hosts_.agents().send_to_all(wire::EndJob{why.substr(0, wire::limits::text_bytes)});
    loop_.arm(BrokerLoop::Timer::end, end_within, [this] {
        for (const auto host : hosts_.agents().hosts())
            streams_.notify_user("host " + hosts_.name(host) +
                                 " did not answer; its agent ends the job there by itself");
        stop_loop();
    });
    loop_.arm(BrokerLoop::Timer::absent, absent_within, [this] {
        hosts_.agents().give_up_on_absent("the job has ended before its agent connected");
    });
}

void Broker::note_failure(int code) {
    if (life_.fail(code)) journal("a rank has failed");
}

// The job is over when all its groups are over, or when it was ended and no agent is left.
void Broker::finish_agents_at_end() {
    const bool is_ending = life_.is<life::Ending>();
    if (!is_ending && (life_.recovery() != nullptr || !groups_.table().all().empty())) return;
    if (life_.is<life::Starting>() && requests_.queue().awaiting()) return;
    if (const auto found = life_.failures().blame()) end_job(found->code, found->why);
    if (hosts_.agents().hosts().empty()) return stop_loop();
    if (life_.is<life::Ending>() || resize_.is_resizing()) return;
    hosts_.end();
    for (const auto host : hosts_.agents().hosts()) hosts_.finish(host);
}

void Broker::stop_loop() {
    life_.stop();
    history_.end(life_.exit_code());
    loop_.stop();
}

}  // namespace ductile::broker
