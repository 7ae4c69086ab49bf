/// \file
/// The job as a program sees it.
///
// clang-format off
/// ```
/// ductile::Job job(argc, argv);                           // in an added process: returns once it is a member
/// long n = job.fresh() ? read_input_and_broadcast(job.comm()) : 0, step = 0;
/// auto n_ = job.replicate("n", n);                        // small state, the same on every rank
/// auto step_ = job.replicate("step", step);
/// auto u = job.distribute<double>("u", n);                // this rank's block of n elements
/// if (job.fresh()) initialise(u);
/// while (step < steps) {
///     advance(job.comm(), u, step);
///     ++step;                                             // before the resize point
///     if (job.resize_point() == ductile::Resized::leave) return 0;
/// }
/// ```
// clang-format on
/// Call order: Job -> registrations -> resize_point() again and again -> ~Job. A process that was
/// added later goes through the same lines; its first resize point is the one after that at which
/// it became a member.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "ductile/distributed.hpp"
#include "ductile/distribution.hpp"
#include "ductile/error.hpp"
#include "ductile/options.hpp"
#include "ductile/ragged.hpp"
#include "ductile/records.hpp"
#include "ductile/replicated.hpp"
#include "ductile/resize_answer.hpp"
#include "ductile/resized.hpp"
#include "ductile/schema.hpp"

namespace ductile {

class JobAccess;
namespace groups {
class GroupSpace;
}

/// A rank's membership in a job that can grow and shrink. One per process at a time. All calls are
/// made by one thread; other threads may use MPI_THREAD_MULTIPLE freely.
///
/// A program started without `ductile run` is an ordinary MPI program: the job is MPI_COMM_WORLD
/// and never changes.
class DUCTILE_PUBLIC Job {
  public:
    /// Initialises MPI with MPI_THREAD_MULTIPLE, or takes an initialised MPI that has it (else
    /// throws UsageError). Collective over the processes started together. In an added process it
    /// returns after the commit of its resize, when all data has arrived; it may wait long, asleep.
    /// Throws SystemError when the agent cannot be reached and InputError when `options` contradict
    /// themselves. `schema`: calls at resizes that new processes make, too.
    Job(int& argc, char**& argv, const Options& options = {}, Schema schema = {});
    /// Frees Ductile's communicators and finalises MPI if the constructor initialised it. If a
    /// resize is pending it is called off first. Collective over the job.
    ~Job();
    Job(const Job&) = delete;
    Job& operator=(const Job&) = delete;

    /// True in processes that were there when the job began. Start-up communication and input stand
    /// inside `if (job.fresh())`, and their results are replicated: a newcomer makes no collective
    /// call on comm() before its first resize point, but for those in on_rebuild() calls, and for
    /// process groups, which the others renew() meanwhile.
    [[nodiscard]] bool fresh() const;
    /// The job's communicator, owned by the job. Void after `resized`. Throws UsageError after
    /// `leave`. Its error handler is that of MPI_COMM_WORLD, or the one that was set on it last,
    /// also over resizes.
    [[nodiscard]] MPI_Comm comm() const;
    /// False after `leave`.
    [[nodiscard]] bool member() const;
    /// Rank and number of ranks in comm(). Local.
    [[nodiscard]] int rank() const;
    [[nodiscard]] int size() const;
    /// Where the ranks are, by rank: Distribution::by_hosts is asked for the same. Without
    /// `ductile run`, one host for all. Local.
    [[nodiscard]] std::vector<RankHost> hosts() const;
    /// The job's id, as `ductile status` shows it; empty without `ductile run`.
    [[nodiscard]] const std::string& id() const;

    /// Makes `value` replicated state under `name`: at each expand every rank gets rank 0's value;
    /// at a shrink each keeps its own. In an added process `value` is set to what arrived. T:
    /// trivially copyable, std::string, or std::vector of trivially copyable elements. Local,
    /// communicates nothing. Throws UsageError when the name is taken, or when what arrived under
    /// it does not match the type.
    template <class T>
    [[nodiscard]] Replicated<T> replicate(const std::string& name, T& value) {
        return Replicated<T>(add_replicated(name, typeid(T).name(), detail::access_to(value)));
    }
    /// The same for several values under one name.
    template <class T, class U, class... More>
    [[nodiscard]] Replicated<T, U, More...> replicate(const std::string& name, T& first, U& second,
                                                      More&... more) {
        std::vector<std::unique_ptr<detail::ReplicatedAccess>> list;
        list.push_back(detail::access_to(first));
        list.push_back(detail::access_to(second));
        (list.push_back(detail::access_to(more)), ...);
        return Replicated<T, U, More...>(
            add_replicated(name, typeid(Replicated<T, U, More...>).name(),
                           std::make_unique<detail::ListAccess>(std::move(list))));
    }

    /// Makes an array of `elements` elements of `width` values each, distributed by blocks over the
    /// ranks. New in a process that was there from the start (zero-initialised); in an added one it
    /// holds what arrived. `halo`: room for ghosts beside the part, zero at first. T is trivially
    /// copyable. Local, communicates nothing; all ranks register the same arrays. Throws UsageError
    /// when the name is taken, or when type, width, halo or number of elements do not match what
    /// arrived; InputError on negative numbers.
    template <class T>
    [[nodiscard]] Distributed<T> distribute(const std::string& name, std::int64_t elements,
                                            std::int64_t width = 1, Halo halo = {}) {
        return distribute<T>(name, elements, Distribution(), width, halo);
    }
    template <class T>
    [[nodiscard]] Distributed<T> distribute(const std::string& name, std::int64_t elements,
                                            Halo halo) {
        return distribute<T>(name, elements, Distribution(), 1, halo);
    }
    /// The same by another rule of distribution, at each number of ranks. Throws also InputError
    /// when the rule gives no partition of the elements, or with a halo a part of several ranges,
    /// and UsageError when it is not the rule by which an array arrived.
    template <class T>
    [[nodiscard]] Distributed<T> distribute(const std::string& name, std::int64_t elements,
                                            const Distribution& distribution,
                                            std::int64_t width = 1, Halo halo = {}) {
        static_assert(std::is_trivially_copyable_v<T>,
                      "elements of distributed arrays are trivially copyable");
        auto [registration, array] =
            add_array({name, typeid(T).name(), sizeof(T), elements, width, halo}, distribution);
        return Distributed<T>(std::move(registration), std::move(array), width);
    }

    /// Makes an array of `rows` rows of any lengths, distributed as distribute() says; each is
    /// empty at first, and in an added process as it arrived. T is trivially copyable. Local,
    /// communicates nothing. Throws as distribute() does.
    template <class T>
    [[nodiscard]] Ragged<T> distribute_rows(const std::string& name, std::int64_t rows,
                                            const Distribution& distribution = {}) {
        static_assert(std::is_trivially_copyable_v<T>,
                      "values of distributed rows are trivially copyable");
        auto [registration, array] =
            add_rows({name, typeid(T).name(), sizeof(T), rows, 1, {}}, distribution);
        return Ragged<T>(std::move(registration), std::move(array));
    }

    /// Makes the records in a vector the job's: at a resize each goes to the rank that
    /// `owner(record, ranks)` says, from 0 to ranks - 1. It is called at a resize point; what it
    /// throws, or another answer, calls the resize off. In an added process the vector is set to
    /// what arrived. Records from one rank keep their order; lower ranks' come first. T is
    /// trivially copyable. Local, communicates nothing. Throws UsageError when the name is taken,
    /// or when what arrived under it is of another type.
    template <class T, class Owner>
    [[nodiscard]] Records<T> redistribute_by(const std::string& name, std::vector<T>& records,
                                             Owner owner) {
        static_assert(std::is_invocable_r_v<int, Owner, const T&, int>,
                      "owner(record, ranks) gives a rank");
        return Records<T>(add_records(
            {name, typeid(T).name(), sizeof(T), 0, 1, {}},
            std::make_unique<detail::VectorOfRecords<T, Owner>>(records, std::move(owner))));
    }

    /// Calls `rebuild` now, and again after each resize on each rank that stays or comes back,
    /// within resize_point() before it answers `resized`. What depends on the communicator is made
    /// here: neighbours, ghosts, a solver's plans. All ranks register the same calls in the same
    /// order; a new rank makes them while the others are in theirs, so they may communicate over
    /// comm(). What the call throws comes out of resize_point(), after the commit. It lives as long
    /// as the Job.
    void on_rebuild(std::function<void()> rebuild);
    /// Calls `before` at a resize point at which all ranks have agreed to resize, before data move:
    /// to write what is elsewhere into the registered arrays and values. The resize may still be
    /// called off, so the program's data stay valid. What the call throws calls it
    /// off; the broker's line says the text. It lives as long as the Job.
    void before_move(std::function<void()> before);

    /// The place where a resize may happen; called by all ranks equally often, with no operation
    /// pending on comm() or in a process group. When nothing is due: one atomic operation, no
    /// message. At a resize it blocks for the switch. `resized` and `leave` are agreed by all
    /// ranks. On a rank that parks at a shrink it returns only when the rank comes back (`resized`)
    /// or leaves. Throws UsageError after `leave`, and in a new rank that has not registered all
    /// that has arrived for it.
    [[nodiscard]] Resized resize_point();

    /// Asks for another size of this job, as `ductile resize` does; the limits of the job hold. One
    /// rank asks. Local, does not wait: the job is resized at a later resize point. Throws
    /// InputError when `ranks` is below 1; UsageError without `ductile run` and after `leave`.
    void request_resize(int ranks);
    /// What has become of this rank's last request. Local; other ranks know nothing of it.
    [[nodiscard]] ResizeAnswer resize_answer() const;

    class Impl;

  private:
    friend class ProcessGroup;
    friend class JobAccess;  // of the C face
    struct AddedArray {
        detail::Registration registration;
        std::shared_ptr<detail::ArrayState> array;
    };
    detail::Registration add_replicated(const std::string& name, std::string_view type,
                                        std::unique_ptr<detail::ReplicatedAccess> access);
    AddedArray add_array(const detail::NewArray& array, const Distribution& distribution);
    AddedArray add_rows(const detail::NewArray& array, const Distribution& distribution);
    detail::Registration add_records(const detail::NewArray& records,
                                     std::unique_ptr<detail::RecordsAccess> access);

    /// What the groups over the job as it is now share. Collective over the job at first.
    std::shared_ptr<groups::GroupSpace> group_space();

    std::unique_ptr<Impl> impl_;
};

}  // namespace ductile
