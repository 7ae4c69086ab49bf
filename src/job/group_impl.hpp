// A process group, behind its handle.
#pragma once

#include <mpi.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "ductile/process_group.hpp"
#include "groups/group_space.hpp"
#include "groups/host_tree.hpp"
#include "job/group_method.hpp"
#include "mpi/check.hpp"

namespace ductile {

/// Kept small: a process may have thousands.
class ProcessGroup::Impl : public std::enable_shared_from_this<Impl> {
  public:
    /// A group of ranks of a job.
    Impl(Job& job, std::optional<tree::Colour> colour, const GroupOptions& options)
        : job_(&job), options_(options), colour_(colour) {
        check_options(options);
        enrol_in_job();
    }
    /// A group made from another group.
    Impl(std::shared_ptr<Impl> parent, std::optional<tree::Colour> colour,
         const GroupOptions& options)
        : parent_(std::move(parent)), options_(options), colour_(colour) {
        check_options(options);
        enrol_in_parent();
    }
    /// The group of all processes of a communicator.
    Impl(MPI_Comm comm, const GroupOptions& options) : options_(options) {
        check_options(options);
        require_intracommunicator(comm);
        int level = MPI_THREAD_SINGLE;
        mpi::check(MPI_Query_thread(&level), "MPI_Query_thread");
        if (level != MPI_THREAD_MULTIPLE)
            throw UsageError(
                "cannot make a process group: MPI was initialised without "
                "MPI_THREAD_MULTIPLE; call MPI_Init_thread with it");
        space_ = std::make_shared<groups::GroupSpace>(comm);
        colour_ = tree::Colour{0};
        position_ = tree::position_in_job(space_->self(), space_->size(), options.branching);
        position_.label = 1;
        enrolment_ = space_->root_key();
        made_by_ = GroupAlgorithm::centralized;
        space_->open(enrolment_, *colour_, position_);
    }
    ~Impl() { close(); }
    Impl(const Impl&) = delete;
    Impl& operator=(const Impl&) = delete;

    void renew() {
        if (!is_of_job())
            throw UsageError("renew() on a group of a communicator, which no resize changes");
        if (parent_ && (!parent_->is_member() || parent_->space_->retired()))
            throw UsageError(
                "renew() on a process group whose parent has not been renewed or has "
                "ended here: renew groups in the order in which they were made");
        auto& space = parent_ ? *parent_->space_ : *job_->group_space();
        if (!space.is_renewed_in_order(made_))
            throw UsageError(
                "renew() on a process group after one that was made later: renew groups in the "
                "order in which they were made");
        close();
        if (parent_)
            enrol_in_parent();
        else
            enrol_in_job();
    }

    [[nodiscard]] bool is_member() const { return position_.size > 0; }
    void require_live() const { space_->require_live(); }
    /// Throws UsageError if this process is no member, or if a resize has ended the group.
    [[nodiscard]] const tree::TreePosition& position() const {
        require_live();
        if (!is_member())
            throw UsageError(
                "this process is no member of the process group that it uses; check member() "
                "first");
        return position_;
    }
    [[nodiscard]] const GroupOptions& options() const { return options_; }
    [[nodiscard]] groups::GroupSpace& space() const { return *space_; }
    [[nodiscard]] const std::shared_ptr<groups::GroupSpace>& shared_space() const { return space_; }
    [[nodiscard]] groups::GroupKey enrolment() const { return enrolment_; }
    [[nodiscard]] GroupAlgorithm algorithm() const { return made_by_; }
    [[nodiscard]] std::size_t bytes() const {
        // Includes the control block of the shared pointer, and the entry by which others find the
        // group.
        constexpr std::size_t control = 16, entry = 40;
        return sizeof(Impl) + control + entry + position_.children.capacity() * sizeof(tree::Child);
    }

    /// Takes the slot of the next operation. The slot stays in use until release().
    int take_slot() {
        const int slot = next_operation_ % groups::tags::operations;
        const auto bit = static_cast<std::uint16_t>(1U << static_cast<unsigned>(slot));
        if ((busy_ & bit) != 0)
            throw UsageError(
                "cannot start an operation on a process group: the operation that was "
                "started " +
                std::to_string(groups::tags::operations) +
                " operations ago is still in progress; wait() for that one first");
        busy_ |= bit;
        ++next_operation_;
        return slot;
    }
    /// The operation was not started: the next operation gets its slot, here and in other
    /// processes.
    void give_back(int slot) {
        release(slot);
        --next_operation_;
    }
    void release(int slot) {
        busy_ &= static_cast<std::uint16_t>(~(1U << static_cast<unsigned>(slot)));
    }
    [[nodiscard]] groups::OperationPlace place(int in_label) const {
        return {space_->comm(), position_.label * groups::tags::a_label + in_label, &position_};
    }
    /// For a message of the program itself.
    [[nodiscard]] groups::OperationPlace message_place(int tag) const {
        return {space_->messages(), position_.label * groups::tags::a_label + tag, &position_};
    }
    [[nodiscard]] int holder(int rank) const {
        return space_->holder(enrolment_, *colour_, position_, rank).value;
    }
    void require_rank(int rank, const char* what) const {
        if (rank < 0 || rank >= position().size)
            throw InputError("the " + std::string(what) +
                             " of an operation on a process group of " +
                             std::to_string(position_.size) + " is rank " + std::to_string(rank) +
                             "; 0 to " + std::to_string(position_.size - 1) + " are possible");
    }
    [[nodiscard]] groups::Segments segments(std::int64_t count, MPI_Datatype type) const {
        return {count, type, options_.segment_bytes};
    }

  private:
    static void require_intracommunicator(MPI_Comm comm) {
        int between_two = 0;
        if (comm != MPI_COMM_NULL)
            mpi::check(MPI_Comm_test_inter(comm, &between_two), "MPI_Comm_test_inter");
        if (comm == MPI_COMM_NULL || between_two != 0)
            throw UsageError(
                "cannot make a process group of MPI_COMM_NULL or of an intercommunicator; give an "
                "intracommunicator");
    }
    [[nodiscard]] bool is_of_job() const {
        const auto* group = this;
        while (group->parent_) group = group->parent_.get();
        return group->job_ != nullptr;
    }
    /// Returns the next number. Later groups of a process have larger numbers.
    static std::uint32_t next_made() {
        static std::atomic<std::uint32_t> made{0};
        return ++made;
    }

    void enrol_in_job() {
        space_ = job_->group_space();
        const auto position =
            tree::position_in_job(space_->self(), space_->size(), options_.branching);
        enrol(space_->root_key().next(space_->next_of_all()), position);
    }
    void enrol_in_parent() {
        const auto& position = parent_->position();
        space_ = parent_->space_;
        const auto group =
            parent_->enrolment_.next(static_cast<std::uint32_t>(parent_->colour_->value));
        enrol(group.next(parent_->next_enrolment_++), position);
    }
    void enrol(groups::GroupKey enrolment, const tree::TreePosition& position) {
        enrolment_ = enrolment;
        next_enrolment_ = 0;
        next_operation_ = 0;
        busy_ = 0;
        const auto method = method_for(options_, position.size);
        made_by_ = name_of(method.algorithm);
        auto got = options_.by_host
                       ? groups::enrol_by_host(*space_, enrolment, method, position, colour_)
                       : space_->enrol(enrolment, method, position, colour_);
        if (!got) return;
        position_ = std::move(*got);
        position_.children.shrink_to_fit();
        space_->open(enrolment_, *colour_, position_);
    }
    void close() {
        if (is_member()) space_->close(enrolment_, *colour_, position_);
        position_ = {};
    }

    std::shared_ptr<groups::GroupSpace> space_;
    std::shared_ptr<Impl> parent_;
    Job* job_ = nullptr;
    groups::GroupKey enrolment_;
    tree::TreePosition position_;  // size 0: this process is no member
    GroupOptions options_;
    std::optional<tree::Colour> colour_;
    GroupAlgorithm made_by_ = GroupAlgorithm::automatic;
    std::uint32_t next_enrolment_ = 0;
    std::uint16_t next_operation_ = 0;
    std::uint16_t busy_ = 0;  // a bit for each operation under way
    std::uint32_t made_ = next_made();
};

}  // namespace ductile
