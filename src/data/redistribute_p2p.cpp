#include "data/redistribute_p2p.hpp"

#include <cstring>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <type_traits>
#include <utility>

#include "data/local_moves.hpp"
#include "mpi/bounded_sends.hpp"
#include "mpi/datatype.hpp"
#include "mpi/wait_asleep.hpp"

namespace ductile::data {

namespace {

constexpr int array_tag = 0x0d0c;
constexpr int ready_tag = 0x0d0d;

using core::Rank;

// A transfer that is given up cannot be cancelled once it has begun: MPI may read and write its
// memory until the process ends.
void keep_for_good(const Movement& movement) {
    static std::mutex mutex;
    static auto& kept = *new std::vector<std::shared_ptr<std::byte[]>>;
    const std::lock_guard lock(mutex);
    for (const auto& array : movement.arrays) kept.push_back(array.old_part.memory);
    for (const auto& part : movement.new_parts) kept.push_back(part.memory);
}

// Calls send_or_receive(address, count, type) for the memory of a packet.
template <class Call>
void with_memory_of(const Packet& packet, Call send_or_receive) {
    if (packet.segments.size() == 1)
        return send_or_receive(packet.segments[0].memory, packet.bytes, MPI_BYTE);
    std::vector<const void*> at;
    std::vector<int> bytes;
    for (const auto& segment : packet.segments) {
        at.push_back(segment.memory);
        bytes.push_back(segment.bytes);
    }
    const auto type = mpi::Datatype::of_bytes(at, bytes);
    send_or_receive(MPI_BOTTOM, 1, type.get());
}

// A rank is sent its data when it says that it has posted its receives, and not before: nothing is
// sent to a newcomer that has died or stopped by then, which MPICH would repeat for ever or take
// for fatal (docs/decisions/0003). Requests that an exception leaves behind are not waited for: the
// peer may be dead.
class PointToPoint final : public Redistribution {
  public:
    PointToPoint(const mpi::Comm& comm, Movement movement, Progress& progress)
        : comm_(comm),
          progress_(progress),
          movement_(std::move(movement)),
          moves_(local_moves(Rank{comm.rank()}, movement_.parties, movement_.arrays,
                             movement_.new_parts)) {}
    ~PointToPoint() override { abandon(); }
    PointToPoint(const PointToPoint&) = delete;
    PointToPoint& operator=(const PointToPoint&) = delete;

    void start() override {
        phase_ = Phase::moving;
        or_abandon([this] {
            post_receives();
            say_ready();
        });
    }

    bool test() override {
        return or_abandon([this] { return complete_all([] { return true; }); });
    }

    Moved finish() override {
        or_abandon([this] {
            if (!complete_all([this] { return progress_.abandoned(); })) throw Abandoned();
        });
        phase_ = Phase::over;
        return moves_.moved;
    }

    void abandon() noexcept override {
        if (std::exchange(phase_, Phase::over) == Phase::moving) keep_for_good(movement_);
    }

  private:
    enum class Phase { made, moving, over };
    static constexpr Rank nobody{-1};

    template <class Work>
    std::invoke_result_t<Work> or_abandon(Work work) {
        try {
            return work();
        } catch (const std::exception&) {
            abandon();
            throw;
        }
    }

    MPI_Request* add(Rank ready) {
        ready_.push_back(ready);
        return &requests_.emplace_back(MPI_REQUEST_NULL);
    }

    void post_receives() {
        for (const auto& packet : moves_.received)
            with_memory_of(packet, [&](void* address, int count, MPI_Datatype type) {
                mpi::check(MPI_Irecv(address, count, type, packet.peer.value, array_tag,
                                     comm_.get(), add(nobody)),
                           "MPI_Irecv");
            });
    }

    void say_ready() {
        for (auto& packet : std::exchange(moves_.sent, {}))
            to_send_[packet.peer].push_back(std::move(packet));
        for (const auto& [target, packets] : to_send_)
            mpi::check(
                MPI_Irecv(nullptr, 0, MPI_BYTE, target.value, ready_tag, comm_.get(), add(target)),
                "MPI_Irecv");
        std::set<Rank> sources;
        for (const auto& packet : moves_.received) sources.insert(packet.peer);
        for (const Rank source : sources)
            mpi::check(MPI_Send(nullptr, 0, MPI_BYTE, source.value, ready_tag, comm_.get()),
                       "MPI_Send");
    }

    // False when `given_up` says so while a message is still under way.
    bool complete_all(const std::function<bool()>& given_up) {
        copy_kept();
        for (; completed_ < requests_.size(); ++completed_) {
            // Not MPI_Waitany, which nothing ends when a peer has died.
            const auto which = mpi::wait_any_asleep_unless(requests_, given_up);
            if (!which) return false;
            if (const Rank target = ready_[static_cast<std::size_t>(*which)]; target != nobody)
                start_sending(target);
            progress_.step();
        }
        return true;
    }

    // While the others get ready.
    void copy_kept() {
        for (const auto& kept : std::exchange(moves_.kept, {})) {
            std::memcpy(kept.to, kept.from, kept.bytes);
            progress_.step();
        }
    }

    void start_sending(Rank target) {
        // It may have died since. Once it is spoken to, a busy receiver may take as long as it
        // likes.
        auto first_is_bounded = std::make_optional<mpi::BoundedSends>();
        for (const auto& packet : to_send_.at(target)) {
            with_memory_of(packet, [&](const void* address, int count, MPI_Datatype type) {
                mpi::check(MPI_Isend(address, count, type, target.value, array_tag, comm_.get(),
                                     add(nobody)),
                           "MPI_Isend");
            });
            first_is_bounded.reset();
        }
    }

    const mpi::Comm& comm_;
    Progress& progress_;
    Movement movement_;
    LocalMoves moves_;
    std::map<Rank, std::vector<Packet>> to_send_;  ///< by target
    std::vector<MPI_Request> requests_;
    std::vector<Rank> ready_;    ///< of each request: the target that it says is ready
    std::size_t completed_ = 0;  ///< requests
    Phase phase_ = Phase::made;
};

}  // namespace

std::unique_ptr<Redistribution> make_p2p_redistribution(const mpi::Comm& comm, Movement movement,
                                                        Progress& progress) {
    return std::make_unique<PointToPoint>(comm, std::move(movement), progress);
}

}  // namespace ductile::data
