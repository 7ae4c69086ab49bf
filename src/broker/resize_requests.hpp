// Resize requests: decides which request begins, waits for its turn or for hosts, or is refused.
// Pure: requests and reports about hosts in, answers and orders out.
#pragma once

#include <optional>
#include <string>

#include "broker/freed_hosts.hpp"
#include "broker/host_events.hpp"
#include "broker/job_spec.hpp"
#include "broker/limits.hpp"
#include "broker/request_effects.hpp"
#include "broker/request_queue.hpp"
#include "broker/snapshot.hpp"

namespace ductile::broker {

class ResizeRequests {
  public:
    explicit ResizeRequests(const JobSpec& spec)
        : given_limits_(spec.limits),
          limits_(spec.limits),
          asking_(spec.asking),
          first_(spec.ranks),
          queue_(spec.renew_after_s),
          freed_(spec.mpi.implementation) {}

    [[nodiscard]] const RequestQueue& queue() const { return queue_; }
    /// The askers that wait until hosts are free.
    [[nodiscard]] FreedHosts& freed() { return freed_; }
    [[nodiscard]] const Limits& limits() const { return limits_; }
    [[nodiscard]] const std::optional<ProgramLimits>& code_options() const { return code_; }
    void on_code_options(const ProgramLimits& options, RequestEffects& out);

    // ---- requests (resize_requests.cpp) ----

    void on_resize(const NextStep& asked, const RequestContext& now, RequestEffects& out);
    /// Takes up the next request. If the job can leave hosts that are taken back, it does this
    /// first, and the request waits. Returns false if there was nothing to do: there is no request,
    /// or it must wait.
    [[nodiscard]] bool start_next(const RequestContext& now, RequestEffects& out);
    /// Requests the renewal of a degraded job if it is due. Call this after each event, and at
    /// renewal_at() below.
    void renew_if_degraded(const RequestContext& now, RequestEffects& out);
    /// Answers and removes the request that waits for hosts.
    void stop_awaiting(ReplyKind kind, const std::string& why, RequestEffects& out);
    void drop_all(ReplyKind kind, const std::string& text, RequestEffects& out);
    /// The rest of a request after its first part.
    [[nodiscard]] static NextStep next_step(const ResizeRequest& request,
                                            core::TransactionId begun_as, const Askers& askers);
    /// Adds `step` before all other requests.
    void continue_with(NextStep step) { queue_.push_front(std::move(step)); }
    /// Takes a request up again because its resize is called off. `waiting`: the askers that wait
    /// for this resize.
    void ask_again(NextStep asked, const resize::ResizePlan& plan, Askers waiting);
    [[nodiscard]] NextStep* begun_as(core::TransactionId resize) { return queue_.begun_as(resize); }
    /// Takes over the requests of the former broker.
    void restore(const Snapshot& known, RequestEffects& out);

    // ---- hosts (resize_requests_hosts.cpp) ----

    /// Requests hosts because the job has too few to begin.
    void ask_for_first_hosts(Aim aim, const RequestContext& now, RequestEffects& out);
    /// `why`: the reason if the hosts could not be requested.
    void on_asked(const AskForHosts& order, const std::optional<std::string>& why,
                  RequestEffects& out);
    void on_hosts_ready(const HostsReady& ready, const RequestContext& now, RequestEffects& out);
    void on_hosts_denied(const HostsDenied& denied, const RequestContext& now, RequestEffects& out);
    /// Makes the job leave hosts that are taken back. If it cannot leave all, it leaves those that
    /// it can. Calls the open resize off if it starts ranks on such a host, or if it prevents the
    /// job from leaving one. If the switch has begun, the resize is finished first.
    void leave_revoked_hosts(const RequestContext& now, RequestEffects& out) const;

  private:
    void decide(const NextStep& asked, const RequestContext& now, RequestEffects& out);
    /// Requests hosts. Returns true if the request waits and is taken up with these hosts, or if
    /// the request was a dry run and is answered. Returns false if more hosts do not help.
    bool await_hosts(NextStep asked, Aim aim, const RequestContext& now, RequestEffects& out);
    void ask(AwaitingHosts request, const HostWish& wish, AskForHosts order,
             const RequestContext& now, RequestEffects& out);
    [[nodiscard]] int slots_of_new_hosts(const JobView& job) const;

    const Limits given_limits_;  ///< the user's
    Limits limits_;
    const HostAsking asking_;
    const core::SizeRange first_;  ///< the sizes that the job may begin with
    RequestQueue queue_;
    FreedHosts freed_;
    std::optional<ProgramLimits> code_;
};

/// Why a new resize could not begin now; none if it could.
[[nodiscard]] std::optional<std::string> why_not_now(const ResizeRequests& requests,
                                                     const RequestContext& now);
/// A request may continue after its askers were answered. Returns who is told how it ends: its
/// askers if they wait for the end, otherwise the user of the job.
[[nodiscard]] Askers later(const ResizeRequest& request, const Askers& askers);
/// When a degraded job requests its renewal if nothing happens until then.
[[nodiscard]] std::optional<Clock::time_point> renewal_at(const RequestQueue& queue,
                                                          const RequestContext& now);
/// The event record and the notice for a host that is taken back. There is no notice if the job
/// cannot leave the host.
[[nodiscard]] RequestEffects news_of(const HostMustGo& must_go, const RequestContext& now);

/// For a host that is lost with members. If the host was taken back and the job could not leave it
/// (the limits allow no size without it, or children run there): ", and the job could not leave it:
/// ...". Otherwise empty. `now`: the state before the groups know of the loss.
[[nodiscard]] std::string why_not_left(core::HostIndex host, const HostTableState& table,
                                       const RequestContext& now);

}  // namespace ductile::broker
