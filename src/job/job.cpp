#include "ductile/job.hpp"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <thread>
#include <utility>

#include "data/registry.hpp"
#include "engine/agent_link.hpp"
#include "engine/asked_resize.hpp"
#include "engine/check_hook.hpp"
#include "engine/member.hpp"
#include "engine/mpi_join_steps.hpp"
#include "engine/newcomer.hpp"
#include "groups/group_space.hpp"
#include "job/check_options.hpp"
#include "job/job_access.hpp"
#include "job/mpi_runtime.hpp"
#include "job/short_exit.hpp"

namespace ductile {

namespace {

// Ends a newcomer: the program continues without it, and nobody could catch an exception yet.
[[noreturn]] void end_unjoined(core::GroupId group, const Error& error) {
    const std::string why = error.what();
    std::fprintf(stderr, "ductile: a new rank of g%d could not be joined with the program: %s\n",
                 group.value, why.substr(0, why.find('\n')).c_str());
    ::_exit(EXIT_FAILURE);
}

}  // namespace

class Job::Impl {
  public:
    Impl(int& argc, char**& argv, const Options& options, Schema schema)
        : hooks_(std::make_shared<engine::Hooks>(engine::Hooks{std::move(schema), {}, {}, {}})) {
        check_options(options);
        check_memory(hooks_->schema);
        registry_->homes = hooks_->schema.memory();
        if (options.one_world) engine::tell_check_of_one_world();
        auto address = engine::agent_address();
        // Connects to the agent before MPI starts: if the rank dies within MPI_Init, the agent
        // knows that it wanted a Job.
        if (address) link_ = std::make_shared<engine::AgentLink>(*address, rank_in_group());
        if (link_ && link_->welcome().role == wire::Role::outsider) {
            link_.reset();
            address.reset();
        }
        if (!address) {  // an ordinary MPI program
            runtime_.start(argc, argv);
            plain_ = mpi::duplicate(MPI_COMM_WORLD);
            mpi::take_error_handler(MPI_COMM_WORLD, plain_);
            rank_ = plain_.rank();
            size_ = plain_.size();
            plain_layout_.active = {{core::GroupId{0}, core::HostIndex{0}, core::Rank{0}, size_}};
            engine::tell_check_of_job(plain_.get(), MPI_COMM_NULL, 0, false);
            return;
        }
        id_ = link_->welcome().job;
        fresh_ = link_->welcome().role == wire::Role::initial;
        member_ =
            std::make_unique<engine::Member>(link_, engine::calls_over_mpi(), registry_, hooks_,
                                             core::Process{address->group, rank_in_group()});
        member_->before_new_membership([this] {
            engine::tell_check_of_no_job();
            end_groups();
        });
        engine::Mailbox mail;
        mail_ = &mail;
        link_->start(
            [this](const wire::ToRank& message) {
                if (const std::lock_guard lock(mail_mutex_); mail_ != nullptr) mail_->put(message);
                asked_resize_.on_message(message);
                member_->on_message(message);
            },
            [this] { member_->on_tick(); });
        runtime_.start(argc, argv);
        try {
            auto membership = engine::become_member(
                *link_, address->group, mail, *registry_, hooks_->schema,
                [this] { member_->prepare(); }, engine::calls_over_mpi());
            {
                const std::lock_guard lock(mail_mutex_);
                mail_ = nullptr;
            }
            member_->begin(std::move(membership));
            if (!fresh_) link_->send(wire::JoinedJob{});
        } catch (const ProgramFailed& error) {
            call_off(error);
            end_unjoined(address->group, error);
        } catch (const Error& error) {
            if (fresh_) throw;
            end_unjoined(address->group, error);
        }
        if (!fresh_) return;
        check_size(options, member_->size());
        if (member_->rank() == 0) link_->send(to_message(options));
    }

    Impl(const Impl&) = delete;
    Impl& operator=(const Impl&) = delete;
    ~Impl() {
        // The Job may be destroyed because the program failed. The other ranks still run then, so
        // MPI_Finalize would wait for them.
        const bool failing = std::uncaught_exceptions() > exceptions_at_start_;
        engine::Parting parting;
        parting.stuck = failing;
        if (member_) {
            if (!failing) parting = member_->finish();
        }
        engine::tell_check_of_no_job();
        // A helper thread cannot end while another one is stuck inside MPI.
        if (parting.stuck)
            // NOLINTNEXTLINE(bugprone-unhandled-exception-at-new): without memory the process ends
            static_cast<void>(new std::shared_ptr(std::move(space_)));
        else
            end_groups(!failing && is_member());
        if (member_) {
            if (!MpiRuntime::finalises()) parting.skip_finalize = true;
            link_->close(!failing);
            if (parting.stuck)
                static_cast<void>(member_.release());  // a stuck helper may still use it
            else
                member_.reset();
        }
        plain_.reset();
        if (parting.skip_finalize)
            runtime_.stop_without_finalising();
        else if (!parting.stuck)
            runtime_.stop();
        if (parting.skip_finalize || parting.stuck) exit_shortly();
    }

    [[nodiscard]] bool fresh() const { return fresh_; }
    [[nodiscard]] const std::string& id() const { return id_; }
    [[nodiscard]] bool is_member() const { return !member_ || member_->is_member(); }
    [[nodiscard]] int rank() const { return member_ ? member_->rank() : rank_; }
    [[nodiscard]] int size() const { return member_ ? member_->size() : size_; }
    [[nodiscard]] const core::Layout& layout() const {
        return member_ ? member_->membership().layout : plain_layout_;
    }
    [[nodiscard]] MPI_Comm comm() const {
        if (!is_member())
            throw UsageError(
                "Job::comm() after `leave`: this rank is no member of the job any more");
        return member_ ? member_->membership().comms.job->get() : plain_.get();
    }
    Resized resize_point() {
        if (!member_) return Resized::unchanged;
        if (!member_->is_member())
            throw UsageError("resize_point() after `leave`: this rank is no member of the job");
        if (!was_at_a_point_) [[unlikely]]
            look_at_registrations();
        return member_->resize_point();
    }
    void ask_for_resize(const wire::ResizeRequest& request) {
        if (!member_) throw UsageError("this job cannot be resized: it runs without `ductile run`");
        if (!member_->is_member())
            throw UsageError("cannot request a resize after `leave`: this rank is no member");
        asked_resize_.ask(*link_, request);
    }
    [[nodiscard]] ResizeAnswer resize_answer() const { return asked_resize_.answer(); }
    void set_options(const Options& options) {
        check_options(options);
        if (member_ && member_->is_member() && member_->rank() == 0)
            link_->send(to_message(options));
    }
    void give_data(bool on) {
        if (link_) link_->send(wire::GivesData{on});
    }
    [[nodiscard]] const std::shared_ptr<data::Registry>& registry() const { return registry_; }
    [[nodiscard]] const std::shared_ptr<engine::Hooks>& hooks() const { return hooks_; }
    std::shared_ptr<groups::GroupSpace> group_space() {
        if (space_) return space_;
        // Several logical hosts have the same processor name.
        const char* host = std::getenv("DUCTILE_HOST");
        space_ = link_ && host != nullptr ? std::make_shared<groups::GroupSpace>(
                                                comm(), host, member_->membership().point)
                                          : std::make_shared<groups::GroupSpace>(comm());
        return space_;
    }

  private:
    /// In a newcomer: reports the error, because the end of the process alone gives no reason.
    void call_off(const ProgramFailed& error) {
        using namespace std::chrono_literals;
        const std::string why = error.what();
        link_->send(wire::SwitchFailed{link_->welcome().transaction,
                                       why.substr(0, wire::limits::text_bytes)});
        std::this_thread::sleep_for(5s);  // the agent ends this process meanwhile
    }
    /// Groups over the earlier members of the job are invalid now.
    void end_groups(bool with_all = false) {
        const auto space = std::exchange(space_, nullptr);
        if (!space) return;
        if (with_all)
            space->finish();
        else
            space->retire();
    }
    static wire::CodeOptions to_message(const Options& o) {
        return {o.min,
                o.max,
                o.preferred,
                o.multiple,
                std::chrono::duration<double>(o.inhibitor).count(),
                o.inhibitor_points,
                o.one_world};
    }

    int exceptions_at_start_ = std::uncaught_exceptions();
    MpiRuntime runtime_;
    std::string id_;
    bool fresh_ = true;
    // Called before the first resize point. Nobody would notice a wrong name in keep_in(): the
    // array then lies in ordinary memory.
    void look_at_registrations() {
        if (!fresh_) data::expect_claimed(*registry_);
        was_at_a_point_ = true;
        if (!fresh_ || rank() != 0) return;
        for (const auto& name : data::homes_of_none(*registry_))
            std::fprintf(stderr,
                         "ductile: Schema::keep_in() names '%s', but the program has registered no "
                         "array of this name before its first resize point\n",
                         name.c_str());
    }

    bool was_at_a_point_ = false;
    std::shared_ptr<data::Registry> registry_ = std::make_shared<data::Registry>();
    std::shared_ptr<engine::Hooks> hooks_;
    engine::AskedResize asked_resize_;
    std::shared_ptr<engine::AgentLink> link_;
    std::unique_ptr<engine::Member> member_;
    std::mutex mail_mutex_;
    engine::Mailbox* mail_ = nullptr;
    mpi::Comm plain_;
    core::Layout plain_layout_;  ///< without `ductile run`: one host for all
    std::shared_ptr<groups::GroupSpace> space_;
    int rank_ = 0;
    int size_ = 1;
};

Job::Job(int& argc, char**& argv, const Options& options, Schema schema)
    : impl_(std::make_unique<Impl>(argc, argv, options, std::move(schema))) {}
Job::~Job() = default;

bool Job::fresh() const {
    return impl_->fresh();
}
MPI_Comm Job::comm() const {
    return impl_->comm();
}
std::shared_ptr<groups::GroupSpace> Job::group_space() {
    return impl_->group_space();
}
bool Job::member() const {
    return impl_->is_member();
}
int Job::rank() const {
    return impl_->rank();
}
int Job::size() const {
    return impl_->size();
}
std::vector<RankHost> Job::hosts() const {
    const auto& layout = impl_->layout();
    auto hosts = plan::hosts_of_ranks(layout);
    auto next = hosts.begin();
    for (const auto& range : layout.active)
        for (int i = 0; i < range.ranks; ++i)
            (next++)->local_rank =
                layout.local_ranks.of({range.group, core::Rank{range.first.value + i}})
                    .value_or(-1);
    return hosts;
}
const std::string& Job::id() const {
    return impl_->id();
}
Resized Job::resize_point() {
    return impl_->resize_point();
}

void Job::on_rebuild(std::function<void()> rebuild) {
    rebuild();
    impl_->hooks()->rebuild.push_back(std::move(rebuild));
}
void Job::before_move(std::function<void()> before) {
    impl_->hooks()->before_move.push_back(std::move(before));
}

void Job::request_resize(int ranks) {
    if (ranks < 1 || ranks > wire::limits::ranks)
        throw InputError("cannot request a resize to " + std::to_string(ranks) + " ranks");
    wire::ResizeRequest request;
    request.size = core::SizeRange{ranks, ranks};
    impl_->ask_for_resize(request);
}
ResizeAnswer Job::resize_answer() const {
    return impl_->resize_answer();
}

void JobAccess::ask_for_resize(Job& job, const wire::ResizeRequest& request) {
    job.impl_->ask_for_resize(request);
}
void JobAccess::set_options(Job& job, const Options& options) {
    job.impl_->set_options(options);
}
void JobAccess::give_data(Job& job, bool on) {
    job.impl_->give_data(on);
}
void JobAccess::set_terms(Job& job, const std::string& terms) {
    job.impl_->hooks()->terms = terms;
}
data::Registry& JobAccess::registry(Job& job) {
    return *job.impl_->registry();
}
detail::Registration JobAccess::registration(Job& job, const std::string& name) {
    return {job.impl_->registry(), name};
}

detail::Registration Job::add_replicated(const std::string& name, std::string_view type,
                                         std::unique_ptr<detail::ReplicatedAccess> access) {
    data::add_replicated(*impl_->registry(), name, type, std::move(access));
    return {impl_->registry(), name};
}

namespace {

data::ArraySpec spec_of(const detail::NewArray& array, data::Elements kind) {
    const auto& [name, type, value_bytes, elements, width, halo] = array;
    std::int64_t element_bytes = 0;
    if (elements < 0 || width < 1 || halo.before < 0 || halo.after < 0 ||
        __builtin_mul_overflow(width, static_cast<std::int64_t>(value_bytes), &element_bytes))
        throw InputError("cannot distribute '" + name +
                         "': a number is out of its bounds: " + std::to_string(elements) +
                         " elements of width " + std::to_string(width) + " with a halo of " +
                         std::to_string(halo.before) + " and " + std::to_string(halo.after));
    return {name, std::string(type), width, element_bytes, elements, "", halo, kind};
}

}  // namespace

Job::AddedArray Job::add_array(const detail::NewArray& array, const Distribution& distribution) {
    auto added =
        data::add_array(*impl_->registry(), spec_of(array, data::Elements::fixed),
                        distribution.rule(), impl_->rank(), impl_->size(), &impl_->layout());
    return {detail::Registration(impl_->registry(), array.name), std::move(added)};
}

Job::AddedArray Job::add_rows(const detail::NewArray& array, const Distribution& distribution) {
    auto added =
        data::add_array(*impl_->registry(), spec_of(array, data::Elements::rows),
                        distribution.rule(), impl_->rank(), impl_->size(), &impl_->layout());
    return {detail::Registration(impl_->registry(), array.name), std::move(added)};
}

detail::Registration Job::add_records(const detail::NewArray& records,
                                      std::unique_ptr<detail::RecordsAccess> access) {
    data::add_records(*impl_->registry(), spec_of(records, data::Elements::records),
                      std::move(access), impl_->rank());
    return {impl_->registry(), records.name};
}

}  // namespace ductile
