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
#include "mpi/wait_asleep.hpp"

namespace ductile::data {

namespace {

constexpr std::int64_t piece_bytes = std::int64_t{64} << 20;
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
                             movement_.new_parts, piece_bytes)) {}
    ~PointToPoint() override { abandon(); }

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
        for (const auto& piece : moves_.received)
            mpi::check(MPI_Irecv(piece.memory, piece.bytes, MPI_BYTE, piece.peer.value, array_tag,
                                 comm_.get(), add(nobody)),
                       "MPI_Irecv");
    }

    void say_ready() {
        for (const auto& piece : moves_.sent) to_send_[piece.peer].push_back(piece);
        for (const auto& [target, pieces] : to_send_)
            mpi::check(
                MPI_Irecv(nullptr, 0, MPI_BYTE, target.value, ready_tag, comm_.get(), add(target)),
                "MPI_Irecv");
        std::set<Rank> sources;
        for (const auto& piece : moves_.received) sources.insert(piece.peer);
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
        for (const auto& piece : to_send_.at(target)) {
            mpi::check(MPI_Isend(piece.memory, piece.bytes, MPI_BYTE, target.value, array_tag,
                                 comm_.get(), add(nobody)),
                       "MPI_Isend");
            first_is_bounded.reset();
        }
    }

    const mpi::Comm& comm_;
    Progress& progress_;
    Movement movement_;
    LocalMoves moves_;
    std::map<Rank, std::vector<Piece>> to_send_;  ///< by target
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
