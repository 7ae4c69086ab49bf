// The requests for a resize: which of them begins, waits for its turn or for hosts, or is refused.
// Pure: requests and news of hosts in, answers and orders out.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "broker/freed_hosts.hpp"
#include "broker/host_events.hpp"
#include "broker/job_spec.hpp"
#include "broker/request_effects.hpp"
#include "broker/request_queue.hpp"
#include "broker/snapshot.hpp"
#include "wire/from_rank_messages.hpp"

namespace ductile::broker {

class ResizeRequests {
  public:
    using Notify = std::function<void(const std::string&)>;

    /// `notify`: of what becomes of requests whose askers do not wait.
    ResizeRequests(const JobSpec& spec, Notify notify)
        : given_limits_(spec.limits),
          limits_(spec.limits),
          asking_(spec.asking),
          first_(spec.ranks),
          queue_(spec.renew_after_s),
          freed_(spec.mpi.implementation),
          notify_(std::move(notify)) {}

    [[nodiscard]] const RequestQueue& queue() const { return queue_; }
    /// Who waits for hosts to be free.
    [[nodiscard]] FreedHosts& freed() { return freed_; }
    [[nodiscard]] const Limits& limits() const { return limits_; }
    [[nodiscard]] const std::optional<wire::CodeOptions>& code_options() const { return code_; }
    void on_code_options(const wire::CodeOptions& options, RequestEffects& out);

    // ---- requests (resize_requests.cpp) ----

    void on_resize(const NextStep& asked, const RequestContext& now, RequestEffects& out);
    /// Takes up the request that is next. False when there is none, or it has to wait.
    [[nodiscard]] bool start_next(const RequestContext& now, RequestEffects& out);
    /// A degraded job asks for its renewal itself. Call it whenever something has happened, and at
    /// renewal_at() below.
    void renew_if_degraded(const RequestContext& now, RequestEffects& out);
    /// The request that waits for hosts is answered, and waits no more.
    void stop_awaiting(wire::ReplyKind kind, const std::string& why, RequestEffects& out);
    void drop_all(wire::ReplyKind kind, const std::string& text, RequestEffects& out);
    /// What is left of a request after its first part.
    [[nodiscard]] NextStep next_step(const ResizeRequest& request, core::TransactionId begun_as,
                                     const Respond& respond) const;
    /// Before all others that wait.
    void continue_with(NextStep step) { queue_.push_front(std::move(step)); }
    /// The resize that was made of it is called off. `reply`: who waits for that one; may be none.
    void ask_again(NextStep asked, const resize::ResizePlan& plan, OpenResize::Reply reply);
    [[nodiscard]] NextStep* begun_as(core::TransactionId resize) { return queue_.begun_as(resize); }
    /// Those of a broker before this one.
    void restore(const Snapshot& known);

    // ---- hosts (resize_requests_hosts.cpp) ----

    /// The job has too few to begin with.
    void ask_for_first_hosts(Aim aim, const RequestContext& now, RequestEffects& out);
    /// `why`: they could not be asked for.
    void on_asked(const AskForHosts& order, const std::optional<std::string>& why,
                  RequestEffects& out);
    void on_hosts_ready(const HostsReady& ready, const RequestContext& now, RequestEffects& out);
    void on_hosts_denied(const HostsDenied& denied, const RequestContext& now, RequestEffects& out);
    /// The job leaves hosts that are taken back. Whatever the resize that is open needs is called
    /// off; a switch is finished first.
    void leave_revoked_hosts(const RequestContext& now, RequestEffects& out) const;

  private:
    void decide(const NextStep& asked, const RequestContext& now, RequestEffects& out);
    /// True when hosts are asked for, with which the request is taken up again.
    bool await_hosts(NextStep asked, Aim aim, const RequestContext& now, RequestEffects& out);
    void ask(AwaitingHosts request, const HostWish& wish, AskForHosts order,
             const RequestContext& now, RequestEffects& out);
    [[nodiscard]] int slots_of_new_hosts(const JobView& job) const;

    const Limits given_limits_;  ///< by the user
    Limits limits_;
    const HostAsking asking_;
    const core::SizeRange first_;  ///< the sizes that the job may begin with
    RequestQueue queue_;
    FreedHosts freed_;
    Notify notify_;
    std::optional<wire::CodeOptions> code_;
};

/// Who hears of the end of a request that goes on when its asker has been answered.
[[nodiscard]] Respond later(const ResizeRequest& request, const Respond& respond,
                            const ResizeRequests::Notify& notify);
/// When a degraded job will ask for its renewal if nothing happens until then.
[[nodiscard]] std::optional<Clock::time_point> renewal_at(const RequestQueue& queue,
                                                          const RequestContext& now);
/// A host is taken back.
[[nodiscard]] RequestEffects news_of(const HostMustGo& must_go, const RequestContext& now);

/// Of a host that is lost with members: ", and the job could not leave it: ..." where it was taken
/// back and the limits allow no size without it, or children hold it; else empty. `now`: before the
/// groups know that it is lost.
[[nodiscard]] std::string why_not_left(core::HostIndex host, const HostTableState& table,
                                       const RequestContext& now);

}  // namespace ductile::broker
