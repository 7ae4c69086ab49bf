#include "rms/slurm.hpp"

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

#include "core/counted.hpp"
#include "core/overloaded.hpp"
#include "ductile/error.hpp"
#include "rms/poll_timer.hpp"
#include "rms/self.hpp"
#include "rms/slurm_client.hpp"
#include "rms/slurm_commands.hpp"
#include "rms/slurm_config.hpp"
#include "rms/slurm_merge.hpp"
#include "rms/slurm_priorities.hpp"
#include "rms/slurm_queue.hpp"
#include "rms/slurm_shrink.hpp"

namespace ductile::rms {

namespace {

using Clock = std::chrono::steady_clock;

constexpr auto late_submissions_come_within = std::chrono::minutes(1);

void cap(core::Host& host, int most_slots) {
    if (most_slots > 0) host.slots = std::min(host.slots, most_slots);
}

SlurmSettings with_capped_hosts(SlurmSettings settings) {
    for (auto& host : settings.held.hosts) cap(host, settings.most_slots);
    return settings;
}

class Slurm final : public ResourceManager {
  public:
    explicit Slurm(SlurmSettings settings)
        : settings_(with_capped_hosts(std::move(settings))),
          commands_(settings_.job, settings_.parent),
          sidecars_(settings_.parent, settings_.held,
                    rules_for(settings_.shrink_parent, settings_.parent, settings_.version,
                              host_name())) {
        if (settings_.taken_over)  // the former broker started agents on them
            for (const auto& host : settings_.held.hosts)
                sidecars_.parent().agent_starts_on(host.name);
        if (settings_.parent.left) ends_at_ = Clock::now() + *settings_.parent.left;
    }
    Slurm(const Slurm&) = delete;
    Slurm& operator=(const Slurm&) = delete;
    ~Slurm() override;

    const core::Allocation& allocation() const override { return settings_.held; }
    std::unique_ptr<AgentProcess> start_agent(asio::io_context& io, const std::string& host,
                                              const std::vector<std::string>& argv,
                                              const std::string& bootstrap_line,
                                              AgentProcess::OnExit on_exit) override;

    void attach(asio::io_context& io, OnHostAnswer on_answer, OnNotice notify_user) override;
    void request(RequestId id, const HostRequest& request) override {
        perform(sidecars_.request(id, request));
    }
    void cancel(RequestId id) override { perform(sidecars_.cancel(id)); }
    void release(const std::string& host) override;
    void take_charge() override;
    void end() override;
    bool takes_back() const override { return true; }
    void view_cluster(const OnSeenCluster& on_seen) override;
    ClusterSeen own_hosts() override;
    JobPriorities* priorities() override { return &priorities_; }

    std::vector<std::string> broker_addresses() const override { return addresses_for_others(); }
    std::string bind_address() const override { return "::"; }
    bool logical() const override { return false; }
    std::string describe() const override {
        return core::counted(settings_.parent.hosts.hosts.size(), "host") + " of Slurm job " +
               std::to_string(settings_.parent.job.value) + ", and sidecar jobs";
    }

  private:
    enum class Charge { none, taken, ended };

    [[nodiscard]] std::optional<std::chrono::seconds> time_left() const;
    void look();
    void on_listing(const CommandResult& result);

    void perform(const SidecarEffects& effects);
    void submit(const SubmitSidecar& wanted);
    void submit_to_queue(const SubmitSidecar& wanted,
                         const std::optional<std::chrono::seconds>& left);
    /// `after_refusal`: Slurm has refused to merge, or has no idle host.
    enum class Allocation { plain, to_merge, after_refusal };
    void allocate(const SubmitSidecar& wanted, Allocation kind);
    void watch(SlurmJob sidecar);
    void find_out_merging();
    [[nodiscard]] std::optional<std::string> why_no_merges(const SlurmConfig& config);
    void merge_no_more(const std::string& why);
    void merge(const SubmitSidecar& wanted, SlurmJob job);
    void use(const SubmitSidecar& wanted, SlurmJob job);
    void give_up(const std::vector<SlurmJob>& jobs);
    void tell(HostAnswer answer);

    SlurmClient client_;
    const SlurmSettings settings_;
    SlurmCommands commands_;
    SlurmSidecars sidecars_;
    SlurmPriorities priorities_{client_};
    std::vector<std::unique_ptr<AgentProcess>> watches_;  ///< of sidecars without a script
    SlurmShrink shrink_{client_, commands_, sidecars_.parent(),
                        [this](const std::string& text) { notify_user_(text); }};
    SlurmMerge merge_{client_, commands_};
    /// Whether this Slurm merges hosts into the parent, as far as is known; none: it is being
    /// asked.
    std::optional<bool> merges_ = false;
    std::vector<SubmitSidecar> until_merging_is_known_;
    int refused_merges_ = 0;                    ///< one after the other
    std::optional<Clock::time_point> ends_at_;  ///< the parent's end
    std::shared_ptr<const OnHostAnswer> on_answer_;
    OnNotice notify_user_;
    std::unique_ptr<PollTimer> poll_;
    Charge charge_ = Charge::none;
    bool was_told_ = false;  ///< the user knows that Slurm does not answer
};

// If the job has ended, cancels all its sidecars. They are cancelled by the name of their Slurm
// jobs, because the ids of some may not be known yet. Waiting jobs whose priority is still raised
// get their former priority back.
Slurm::~Slurm() {
    on_answer_.reset();
    client_.stop();
    if (charge_ != Charge::ended) return;
    for (const auto& [job, words] : priorities_.all_back()) client_.run_at_end(words);
    if (sidecars_.was_used() || settings_.taken_over) client_.run_at_end(commands_.cancel_all());
}

std::unique_ptr<AgentProcess> Slurm::start_agent(asio::io_context& io, const std::string& host,
                                                 const std::vector<std::string>& argv,
                                                 const std::string& bootstrap_line,
                                                 AgentProcess::OnExit on_exit) {
    const auto job = sidecars_.job_of(host);
    if (!job)
        throw SystemError("cannot start an agent on " + host + ": no Slurm job is known there");
    sidecars_.parent().agent_starts_on(host);
    return std::make_unique<AgentProcess>(
        io, SlurmCommands::run_on(host, *job, argv, current_environment()), bootstrap_line + "\n",
        std::move(on_exit));
}

void Slurm::attach(asio::io_context& io, OnHostAnswer on_answer, OnNotice notify_user) {
    on_answer_ = std::make_shared<const OnHostAnswer>(std::move(on_answer));
    notify_user_ = std::move(notify_user);
    client_.attach(io);
    poll_ = std::make_unique<PollTimer>(io, [this] { look(); });
    if (sidecars_.awaits_slurm() || settings_.taken_over) poll_->changed();
    if (settings_.merges) find_out_merging();
}

void Slurm::find_out_merging() {
    merges_.reset();
    client_.run(SlurmCommands::config(), [this](const CommandResult& result) {
        try {
            const auto why = why_no_merges(SlurmConfig(output_of("scontrol", result)));
            if (why)
                merge_no_more(*why);
            else
                merges_ = true;
        } catch (const Error& error) {
            merge_no_more(error.what());
        }
        for (const auto& wanted : std::exchange(until_merging_is_known_, {})) submit(wanted);
    });
}

std::optional<std::string> Slurm::why_no_merges(const SlurmConfig& config) {
    if (const auto why = why_no_merge(config)) return "this Slurm has " + *why;
    // Slurm would grant a merged host a second time.
    if (!settings_.parent.is_exclusive)
        return "this job does not have whole hosts (sbatch --exclusive)";
    const auto& stays = sidecars_.parent().why_hosts_stay();
    if (!stays.empty()) return "they could not leave it again: " + stays;
    return std::nullopt;
}

void Slurm::merge_no_more(const std::string& why) {
    if (merges_ == false) return;
    merges_ = false;
    notify_user_("added hosts are not merged into Slurm job " +
                 std::to_string(settings_.parent.job.value) + ", and are sidecars: " + why);
}

// A host of the parent leaves after the next poll, together with hosts that are released until
// then. At the job's end the parent keeps its hosts, because its script may continue.
void Slurm::release(const std::string& host) {
    if (charge_ == Charge::ended && sidecars_.parent().has(host)) return;
    perform(sidecars_.release(host));
    if (sidecars_.parent().is_to_shrink()) poll_->changed();
}

void Slurm::end() {
    charge_ = Charge::ended;
    shrink_.stop();
}

void Slurm::take_charge() {
    charge_ = Charge::taken;
    if (settings_.taken_over) poll_->changed();
}

std::optional<std::chrono::seconds> Slurm::time_left() const {
    if (!ends_at_) return std::nullopt;
    return std::chrono::floor<std::chrono::seconds>(*ends_at_ - Clock::now());
}

// The waiting jobs are listed after the hosts. A job that starts between the two listings does not
// wait in the second listing, so nothing is given up for it.
void Slurm::view_cluster(const OnSeenCluster& on_seen) {
    priorities_.put_back_rest();
    client_.run(commands_.list_hosts(), [this, on_seen](const CommandResult& hosts) {
        SeenHosts seen_hosts;
        try {
            seen_hosts = parse_hosts(output_of("sinfo", hosts));
        } catch (const Error& error) {
            return on_seen(CannotSee{error.what()});
        }
        client_.run(commands_.list_waiting(), [this, seen_hosts,
                                               on_seen](const CommandResult& jobs) {
            SeenCluster seen;
            try {
                auto all = own_hosts();
                all.cluster = {seen_hosts.idle, parse_waiting_jobs(first_lines_of("squeue", jobs),
                                                                   seen_hosts.cpus_per_host)};
                seen = std::move(all);
            } catch (const Error& error) {
                seen = CannotSee{error.what()};
            }
            on_seen(seen);
        });
    });
}

ClusterSeen Slurm::own_hosts() {
    ClusterSeen seen;
    for (auto [host, state, can_leave, had_agent] : sidecars_.parent().hosts()) {
        cap(host, settings_.most_slots);
        if (std::holds_alternative<own_host::Idle>(state)) seen.kept_slots += host.slots;
        if (!can_leave) seen.kept.push_back(std::move(host.name));
    }
    return seen;
}

void Slurm::look() {
    sidecars_.listing_begins();
    client_.run(commands_.list(), [this](const CommandResult& result) { on_listing(result); });
}

void Slurm::on_listing(const CommandResult& result) {
    try {
        perform(sidecars_.listed(parse_listed_jobs(output_of("squeue", result))));
        was_told_ = false;
    } catch (const Error& error) {
        if (!std::exchange(was_told_, true))
            notify_user_(std::string("Slurm does not answer, and is asked again: ") + error.what());
    }
    if (charge_ == Charge::taken) shrink_.go_on();
    using Next = PollTimer::Next;
    poll_->looked(sidecars_.awaits_slurm()  ? Next::soon
                  : sidecars_.all().empty() ? Next::never
                                            : Next::sometime);
}

void Slurm::perform(const SidecarEffects& effects) {
    std::vector<SlurmJob> cancelled;
    for (const auto& effect : effects)
        std::visit(core::Overloaded{
                       [this](const SubmitSidecar& wanted) { submit(wanted); },
                       [&cancelled](const CancelSidecar& one) { cancelled.push_back(one.job); },
                       [this](const TellJob& told) { tell(told.answer); },
                       [this](const TellUser& told) { notify_user_(told.text); },
                   },
                   effect);
    if (!cancelled.empty()) give_up(cancelled);
}

void Slurm::submit(const SubmitSidecar& wanted) {
    const auto left = time_left();
    if (left && left->count() <= 0)
        return perform(sidecars_.not_submitted(
            wanted.sidecar,
            "Slurm job " + std::to_string(settings_.parent.job.value) + " has no time left"));
    if (!merges_) return until_merging_is_known_.push_back(wanted);
    allocate(wanted, *merges_ && sidecars_.parent().gives_back() && !shrink_.is_busy()
                         ? Allocation::to_merge
                         : Allocation::plain);
}

void Slurm::allocate(const SubmitSidecar& wanted, Allocation kind) {
    const auto left = time_left();
    const bool is_to_merge = kind == Allocation::to_merge;
    client_.allocate(commands_.allocate(wanted.host, left, wanted.before_waiting_jobs, is_to_merge),
                     [this, wanted, left, kind](const auto& answer) {
                         if (const auto* job = std::get_if<SlurmJob>(&answer)) {
                             if (kind == Allocation::to_merge) refused_merges_ = 0;
                             // Once, a host may have become idle between the two commands.
                             if (kind == Allocation::after_refusal && ++refused_merges_ > 1)
                                 merge_no_more("salloc refuses --dependency=expand");
                             return kind == Allocation::to_merge ? merge(wanted, *job)
                                                                 : use(wanted, *job);
                         }
                         const bool is_refused = std::get<SlurmClient::NoAllocation>(answer) ==
                                                 SlurmClient::NoAllocation::refused;
                         if (is_refused && kind == Allocation::to_merge)
                             return allocate(wanted, Allocation::after_refusal);
                         // If there is a job all the same, nobody will know it, and it will be
                         // cancelled when a listing shows it.
                         if (!is_refused) poll_->changed(late_submissions_come_within);
                         submit_to_queue(wanted, left);
                     });
}

void Slurm::use(const SubmitSidecar& wanted, SlurmJob job) {
    perform(sidecars_.submitted(wanted.sidecar, job));
    watch(job);
    poll_->changed();
}

void Slurm::merge(const SubmitSidecar& wanted, SlurmJob job) {
    if (shrink_.is_busy() || !sidecars_.parent().gives_back()) return use(wanted, job);
    shrink_.hold();
    merge_.merge(job, [this, wanted, job](const SlurmMerge::Outcome& outcome) {
        shrink_.let_go();
        std::visit(core::Overloaded{
                       [&](const SlurmMerge::Merged& merged) {
                           perform(sidecars_.merged(wanted.sidecar, merged.host));
                       },
                       [&](const SlurmMerge::NotReady&) { use(wanted, job); },
                       [&](const SlurmMerge::Refused& refused) {
                           merge_no_more(refused.why);
                           use(wanted, job);
                       },
                       [&](const SlurmMerge::Lost& lost) {
                           merge_no_more(lost.why);
                           perform(sidecars_.not_submitted(wanted.sidecar, lost.why));
                       },
                   },
                   outcome);
        poll_->changed();
    });
}

// The watch is a process of its own: like an agent, it outlives this broker.
void Slurm::watch(SlurmJob sidecar) {
    std::erase_if(watches_, [](const auto& one) { return one->ended(); });
    try {
        watches_.push_back(std::make_unique<AgentProcess>(
            client_.io(), commands_.watch(sidecar, current_environment()), "",
            [](int, const std::string&) {}));
    } catch (const Error& error) {
        notify_user_("nothing will end Slurm job " + std::to_string(sidecar.value) +
                     " if this broker dies: " + error.what());
    }
}

// No host is idle, or Slurm does not say: the sidecar waits in the queue.
void Slurm::submit_to_queue(const SubmitSidecar& wanted,
                            const std::optional<std::chrono::seconds>& left) {
    client_.run(
        commands_.submit(wanted.host, left, wanted.before_waiting_jobs),
        [this, sidecar = wanted.sidecar](const auto& result) {
            try {
                perform(sidecars_.submitted(sidecar, parse_submitted(output_of("sbatch", result))));
            } catch (const Error& error) {
                poll_->changed(late_submissions_come_within);  // Slurm may have accepted the job
                perform(sidecars_.not_submitted(sidecar, error.what()));
            }
            poll_->changed();
        });
}

void Slurm::give_up(const std::vector<SlurmJob>& jobs) {
    if (charge_ == Charge::none) {  // another broker may use these sidecars for the job
        for (const auto job : jobs) sidecars_.not_cancelled(job);
        return;
    }
    client_.run(SlurmCommands::cancel(jobs), [this, jobs](const CommandResult& result) {
        if (!result.succeeded())
            for (const auto job : jobs) sidecars_.not_cancelled(job);
        poll_->changed();
    });
}

void Slurm::tell(HostAnswer answer) {
    if (auto* granted = std::get_if<Granted>(&answer))
        for (auto& host : granted->hosts) cap(host, settings_.most_slots);
    client_.post([weak = std::weak_ptr(on_answer_), answer = std::move(answer)] {
        if (const auto on_answer = weak.lock()) (*on_answer)(answer);
    });
}

}  // namespace

std::unique_ptr<ResourceManager> make_slurm(SlurmSettings settings) {
    return std::make_unique<Slurm>(std::move(settings));
}

}  // namespace ductile::rms
