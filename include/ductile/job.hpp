// clang-format off
/// \file
/// The job as a program sees it.
///
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
/// Call order: Job -> registrations -> resize_point() again and again -> ~Job. An added process
/// runs the same lines. Its first resize point is the point after the one at which it became a
/// member.
// clang-format on
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

/// A rank's membership in a job that can grow and shrink. A process has one Job at a time. One
/// thread makes all calls of the Job. Other threads may use MPI as MPI_THREAD_MULTIPLE allows.
///
/// A program started without `ductile run` is an ordinary MPI program: the job is MPI_COMM_WORLD
/// and never changes.
class DUCTILE_PUBLIC Job {
  public:
    /// Initialises MPI with MPI_THREAD_MULTIPLE, or uses an MPI that was initialised with it (else
    /// throws UsageError). Collective over the processes that started together. In an added process
    /// it returns after the commit of its resize, when all data has arrived. While it waits, the
    /// process sleeps. Throws SystemError when the agent cannot be reached, and InputError when
    /// `options` contradict each other. `schema`: functions that new processes also call at
    /// resizes.
    Job(int& argc, char**& argv, const Options& options = {}, Schema schema = {});
    /// Frees Ductile's communicators, and finalises MPI if the constructor initialised it. First
    /// cancels a pending resize. Collective over the job.
    ~Job();
    Job(const Job&) = delete;
    Job& operator=(const Job&) = delete;

    /// True in the processes with which the job started. Put start-up communication and input
    /// inside `if (job.fresh())`, and replicate their results. Until its first resize point, an
    /// added process makes the same collective calls on comm() as the other ranks make after
    /// `resized`, in the same order. This includes the calls in functions of on_rebuild(). When an
    /// added process makes a process group, the other ranks renew() theirs.
    [[nodiscard]] bool fresh() const;
    /// The communicator of the job, which the job owns. Invalid after `resized`. Throws UsageError
    /// after `leave`. Its error handler is at first that of MPI_COMM_WORLD. A resize passes the
    /// error handler of the old communicator on to the new one.
    [[nodiscard]] MPI_Comm comm() const;
    /// False after `leave`.
    [[nodiscard]] bool member() const;
    /// This process's rank in comm(). Local.
    [[nodiscard]] int rank() const;
    /// The number of ranks in comm(). Local.
    [[nodiscard]] int size() const;
    /// The host of each rank, by rank, as Distribution::by_hosts receives it. Without `ductile run`
    /// all ranks have the same host. Local.
    [[nodiscard]] std::vector<RankHost> hosts() const;
    /// The job's id, as `ductile status` shows it; empty without `ductile run`.
    [[nodiscard]] const std::string& id() const;

    /// Registers `value` as replicated state under `name`. At each growth every rank gets the value
    /// of rank 0; at a shrink each rank keeps its own. In an added process `value` becomes the
    /// value that arrived. T: trivially copyable, std::string, or std::vector of trivially copyable
    /// elements. Local, communicates nothing. Throws UsageError when the name is taken, or when the
    /// value that arrived has another type.
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
    /// ranks. In a process with which the job started, all values are zero. In an added process the
    /// array holds the data that arrived. `halo`: room for ghosts beside the part, zero at first. T
    /// is trivially copyable. Local, communicates nothing; all ranks register the same arrays.
    /// Throws UsageError when the name is taken, or when type, width, halo or number of elements
    /// differ from the array that arrived; InputError when a number is negative or `width` is 0, or
    /// when the part is too large; SystemError when there is no memory.
    template <class T>
    [[nodiscard]] Distributed<T> distribute(const std::string& name, std::int64_t elements,
                                            std::int64_t width = 1, Halo halo = {}) {
        return distribute<T>(name, elements, Distribution(), width, halo);
    }
    /// The same for elements of one value.
    template <class T>
    [[nodiscard]] Distributed<T> distribute(const std::string& name, std::int64_t elements,
                                            Halo halo) {
        return distribute<T>(name, elements, Distribution(), 1, halo);
    }
    /// The same with another rule of distribution. Also throws InputError when the result of the
    /// rule is not a partition of the elements, or when a part with a halo has several ranges, and
    /// UsageError when the array arrived by another rule.
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

    /// Makes an array of `rows` rows of any lengths, distributed as with distribute(). Each row is
    /// empty at first; in an added process the rows are the rows that arrived. T is trivially
    /// copyable. Local, communicates nothing. Throws the same errors as distribute().
    template <class T>
    [[nodiscard]] Ragged<T> distribute_rows(const std::string& name, std::int64_t rows,
                                            const Distribution& distribution = {}) {
        static_assert(std::is_trivially_copyable_v<T>,
                      "values of distributed rows are trivially copyable");
        auto [registration, array] =
            add_rows({name, typeid(T).name(), sizeof(T), rows, 1, {}}, distribution);
        return Ragged<T>(std::move(registration), std::move(array));
    }

    /// Registers the records in a vector. At a resize each record moves to the rank that
    /// `owner(record, ranks)` returns, from 0 to ranks - 1. `owner` is called at a resize point. If
    /// it throws or returns another number, the resize is rolled back. In an added process the
    /// vector holds the records that arrived: those from lower ranks first, and those from one rank
    /// in their old order. T is trivially copyable. Local, communicates nothing. Throws UsageError
    /// when the name is taken, or when the records that arrived have another type.
    template <class T, class Owner>
    [[nodiscard]] Records<T> redistribute_by(const std::string& name, std::vector<T>& records,
                                             Owner owner) {
        static_assert(std::is_invocable_r_v<int, Owner, const T&, int>,
                      "owner(record, ranks) gives a rank");
        return Records<T>(add_records(
            {name, typeid(T).name(), sizeof(T), 0, 1, {}},
            std::make_unique<detail::VectorOfRecords<T, Owner>>(records, std::move(owner))));
    }
    /// The same for records that differ in length: each record is a vector of T, and `owner`
    /// receives this vector. A record may be empty.
    template <class T, class Owner>
    [[nodiscard]] Records<std::vector<T>> redistribute_by(const std::string& name,
                                                          std::vector<std::vector<T>>& records,
                                                          Owner owner) {
        static_assert(std::is_invocable_r_v<int, Owner, const std::vector<T>&, int>,
                      "owner(record, ranks) gives a rank");
        return Records<std::vector<T>>(add_records(
            {name, typeid(std::vector<T>).name(), 1, 0, 1, {}},
            std::make_unique<detail::VectorOfLists<T, Owner>>(records, std::move(owner))));
    }

    /// Calls `rebuild` now, and again after each resize on each rank that stays or comes back,
    /// inside resize_point() before this returns `resized`. Make here what depends on the
    /// communicator: neighbours, ghosts, the plans of a solver. All ranks register the same
    /// functions in the same order. New ranks make the same calls at the same time, so `rebuild`
    /// may communicate over comm(). If `rebuild` throws after a resize, resize_point() throws this
    /// exception, and the resize stays committed. `rebuild` is kept as long as the Job, unless its
    /// first call throws.
    void on_rebuild(std::function<void()> rebuild);
    /// Calls `before` at a resize point at which a resize is due, before the ranks vote on the
    /// resize and before data moves. `before` writes copies back into the registered arrays and
    /// values. It must leave the data of the program valid, because the resize may still be rolled
    /// back. If `before` throws, the resize is rolled back, and the message has the text. `before`
    /// is kept as long as the Job.
    void before_move(std::function<void()> before);

    /// The place where a resize may happen. All ranks call it equally often, with no operation
    /// pending on comm() or in a process group. If no resize is due, the call is one atomic
    /// operation, and sends no message. At a resize it blocks until the resize is over. All ranks
    /// get `resized` or `leave` at the same resize point. Exception: on a rank that parks at a
    /// shrink, the call returns only when the rank comes back (`resized`) or leaves. Throws
    /// UsageError after `leave`, and in a new rank that has not registered all data that has
    /// arrived for it.
    [[nodiscard]] Resized resize_point();

    /// Requests another size of this job, as `ductile resize` does; the limits of the job hold. One
    /// rank makes the request. Local, does not wait: the resize happens at a later resize point.
    /// Throws InputError when `ranks` is below 1 or above 1,048,576; UsageError without `ductile
    /// run` and after `leave`.
    void request_resize(int ranks);
    /// The outcome of this rank's last request. Local; the other ranks do not know it.
    ///
    /// If the job's broker ends before it answers, the outcome is `lost`. A broker that takes the
    /// job over may still carry the request out, but does not answer it. So make the request again:
    /// the answer is `done` if the job has the size by then. Without a broker each request is
    /// `lost` immediately.
    [[nodiscard]] ResizeAnswer resize_answer() const;

    class Impl;

  private:
    friend class ProcessGroup;
    friend class JobAccess;  // of the C interface
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

    /// The state that all groups over the current job share. The first call is collective.
    std::shared_ptr<groups::GroupSpace> group_space();

    std::unique_ptr<Impl> impl_;
};

}  // namespace ductile
