// A collective operation over a group's tree, under way.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "groups/transfer.hpp"
#include "tree/tree_position.hpp"

namespace ductile::groups {

/// Where an operation takes place: a tag of a communicator, and the process's position, which
/// outlives the operation.
struct OperationPlace {
    MPI_Comm comm = MPI_COMM_NULL;
    int tag = 0;
    const tree::TreePosition* position = nullptr;
};

/// An operation goes on when it is tested or waited for.
class Operation {
  public:
    Operation() = default;
    virtual ~Operation() = default;
    Operation(const Operation&) = delete;
    Operation& operator=(const Operation&) = delete;

    /// Goes on as far as possible; whether it is complete. Local.
    virtual bool test() = 0;
    /// Blocks until it is complete.
    virtual void wait() = 0;
    [[nodiscard]] virtual bool complete() const = 0;
};

/// One after the other, with a buffer that they share.
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

/// An operation made of requests of MPI's, in a fixed number of places; what the completion of each
/// means is the derived class's matter.
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

    /// The request in a place is complete; `from` sent it, if it was a receive, and it was as long
    /// as expected (else UsageError: members disagree).
    virtual void arrived(std::size_t place, int from) = 0;
    /// Posts all that can be posted now; whether nothing is left to do once all are complete.
    virtual bool post() = 0;

    [[nodiscard]] bool free(std::size_t place) const {
        return requests_[place] == MPI_REQUEST_NULL;
    }
    void send(std::size_t place, const void* data, int count, MPI_Datatype type, int to);
    void receive(std::size_t place, void* data, int count, MPI_Datatype type, int from);
    /// Within this process.
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

/// From the member that is `root` to all. The tree is taken without direction: every process passes
/// on what comes from one neighbour to the others, so nobody needs to know who the root is.
std::unique_ptr<Operation> start_broadcast(const OperationPlace& place, std::byte* buffer,
                                           const Segments& segments, bool root);

/// Where a reduction's result goes.
enum class ResultAt { rank_0, all };

/// Up the tree, segment by segment, and for `all` down again behind it. `in` may be MPI_IN_PLACE:
/// then `out` holds this process's part. At rank_0 only `out` of rank 0 is written; others may give
/// none. `op` is commutative.
std::unique_ptr<Operation> start_reduction(const OperationPlace& place, const std::byte* in,
                                           std::byte* out, const Segments& segments, MPI_Op op,
                                           ResultAt result);

/// One message from or to a process.
std::unique_ptr<Operation> start_send(const OperationPlace& place, const std::byte* data,
                                      std::int64_t count, MPI_Datatype type, int to);
std::unique_ptr<Operation> start_receive(const OperationPlace& place, std::byte* data,
                                         std::int64_t count, MPI_Datatype type, int from);

}  // namespace ductile::groups
