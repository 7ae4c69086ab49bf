// A pending collective operation over a group's tree.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "groups/transfer.hpp"
#include "tree/tree_position.hpp"

namespace ductile::groups {

/// Where an operation takes place: a tag of a communicator, and the position of the process. The
/// position must outlive the operation.
struct OperationPlace {
    MPI_Comm comm = MPI_COMM_NULL;
    int tag = 0;
    const tree::TreePosition* position = nullptr;
};

/// An operation makes progress in test() and wait().
class Operation {
  public:
    Operation() = default;
    virtual ~Operation() = default;
    Operation(const Operation&) = delete;
    Operation& operator=(const Operation&) = delete;

    /// Continues as far as possible. Returns whether it is complete. Local.
    virtual bool test() = 0;
    /// Blocks until it is complete.
    virtual void wait() = 0;
    [[nodiscard]] virtual bool complete() const = 0;
};

/// Operations that run one after the other, and share a buffer.
class Sequence final : public Operation {
  public:
    explicit Sequence(std::vector<std::byte> buffer) : buffer_(std::move(buffer)) {}
    void then(std::unique_ptr<Operation> operation) { all_.push_back(std::move(operation)); }
    std::byte* buffer() { return buffer_.data(); }

    bool test() override;
    void wait() override;
    [[nodiscard]] bool complete() const override { return done_ == all_.size(); }

  private:
    std::vector<std::byte> buffer_;
    std::vector<std::unique_ptr<Operation>> all_;
    std::size_t done_ = 0;
};

/// An operation that consists of MPI requests, in a fixed number of places. The derived class
/// defines what the completion of a request means.
class RequestOperation : public Operation {
  public:
    RequestOperation(const RequestOperation&) = delete;
    RequestOperation& operator=(const RequestOperation&) = delete;
    ~RequestOperation() override;
    bool test() final;
    void wait() final;
    [[nodiscard]] bool complete() const final { return complete_; }

  protected:
    RequestOperation(const OperationPlace& place, std::size_t places)
        : place_(place), requests_(places, MPI_REQUEST_NULL), expected_(places, no_receive) {}

    /// The request in a place is complete. If it was a receive, `from` sent it, and it had the
    /// expected length (otherwise UsageError: members disagree).
    virtual void arrived(std::size_t place, int from) = 0;
    /// Posts all requests that can be posted now. Returns whether nothing is left to do when all of
    /// them are complete.
    virtual bool post() = 0;

    [[nodiscard]] bool free(std::size_t place) const {
        return requests_[place] == MPI_REQUEST_NULL;
    }
    void send(std::size_t place, const void* data, int count, MPI_Datatype type, int to);
    void receive(std::size_t place, void* data, int count, MPI_Datatype type, int from);
    /// Copies within this process.
    void copy(const std::byte* from, std::byte* to, int count, const Segments& segments) const;

  private:
    static constexpr int no_receive = -1;

    bool settle();
    void require_length(std::size_t place, const MPI_Status& status) const;

    OperationPlace place_;
    std::vector<MPI_Request> requests_;
    std::vector<int> expected_;  // elements in each receive, or `no_receive`
    MPI_Datatype received_ = MPI_DATATYPE_NULL;
    bool complete_ = false;
};

/// Broadcasts from the member with `root` to all members. The tree has no direction here: each
/// process receives the data from one neighbour, and passes them on to all other neighbours. So no
/// process needs to know the root.
std::unique_ptr<Operation> start_broadcast(const OperationPlace& place, std::byte* buffer,
                                           const Segments& segments, bool root);

/// Where the result of a reduction goes.
enum class ResultAt { rank_0, all };

/// Sums go up the tree, segment by segment. For `all` the results follow down. `in` may be
/// MPI_IN_PLACE: then `out` holds this process's part. For rank_0 only `out` of rank 0 is written.
/// Other ranks may then pass nullptr as `out`, if `in` is not MPI_IN_PLACE. `op` must be
/// commutative.
std::unique_ptr<Operation> start_reduction(const OperationPlace& place, const std::byte* in,
                                           std::byte* out, const Segments& segments, MPI_Op op,
                                           ResultAt result);

/// One message from or to a process.
std::unique_ptr<Operation> start_send(const OperationPlace& place, const std::byte* data,
                                      std::int64_t count, MPI_Datatype type, int to);
std::unique_ptr<Operation> start_receive(const OperationPlace& place, std::byte* data,
                                         std::int64_t count, MPI_Datatype type, int from);

}  // namespace ductile::groups
