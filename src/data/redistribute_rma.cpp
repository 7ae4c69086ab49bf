#include "data/redistribute_rma.hpp"

#include <deque>
#include <map>
#include <utility>

#include "data/all_here.hpp"
#include "data/packet_memory.hpp"
#include "data/ready_messages.hpp"
#include "mpi/bounded_sends.hpp"

namespace ductile::data {

namespace {

constexpr int got_tag = 0x0d0e;
constexpr int places_tag = 0x0d0f;

using core::Rank;

// MPICH 4.3.2 never completes some MPI_Rgets of several segments: with 7 segments of 6,000 to
// 20,000 bytes each they do not complete, with 7 segments of 4,800 bytes they do (docs/mpi.md). So
// a segment of 4 KiB or more is read alone. Smaller segments are read together, up to 16 KiB.
constexpr PacketLimits read_at_once() {
    PacketLimits limits;
    limits.alone_from = 4096;
    limits.together = 16384;
    return limits;
}

/// Where segments begin in the source's window, in bytes: for each rank on the other side, a list
/// in the order of the segments.
using Places = std::map<Rank, std::vector<std::int64_t>>;

/// One array: what this rank exposes, and what it reads from the others.
struct ArrayMoves {
    LocalMoves moves;
    std::byte* memory = nullptr;  ///< of the old part
    std::int64_t bytes = 0;
    Places shown, read;
};

ArrayMoves array_moves(const MoverInputs& in, std::size_t which) {
    const auto& movement = in.movement;
    const auto& spec = movement.arrays[which].spec;
    const auto& part = movement.arrays[which].old_part;
    ArrayMoves array;
    const core::Rank me{in.comm.rank()};
    const std::vector arrays{movement.arrays[which]};
    array.moves = local_moves(
        me,
        movement.plans ? Plans{(*movement.plans)[which]} : plans_of(me, movement.parties, arrays),
        arrays, {movement.new_parts[which]}, movement.slice, read_at_once());
    if (!part.partition) return array;
    array.memory = memory_at(spec, part, 0);
    array.bytes = bytes_of(spec, part, 0, part.count);
    return array;
}

std::deque<ArrayMoves> moves_of_all(const MoverInputs& in) {
    std::deque<ArrayMoves> all;
    for (std::size_t i = 0; i < in.movement.arrays.size(); ++i) all.push_back(array_moves(in, i));
    return all;
}

/// A source knows where its elements are, also if they differ in length. It sends these places to
/// its targets.
void exchange_places(const mpi::Comm& comm, ArrayMoves& array, PendingRequests& requests) {
    for (const auto& packet : array.moves.received)
        array.read[packet.peer].resize(array.read[packet.peer].size() + packet.segments.size());
    for (const auto& packet : array.moves.sent)
        for (const auto& segment : packet.segments)
            array.shown[packet.peer].push_back(distance(array.memory, segment.memory));
    for (auto& [source, places] : array.read) {
        void* const buffer = places.data();
        mpi::check(MPI_Irecv(buffer, static_cast<int>(places.size()), MPI_INT64_T, source.value,
                             places_tag, comm.get(), requests.add()),
                   "MPI_Irecv");
    }
    for (const auto& [target, places] : array.shown) {
        const void* const buffer = places.data();
        mpi::check(MPI_Isend(buffer, static_cast<int>(places.size()), MPI_INT64_T, target.value,
                             places_tag, comm.get(), requests.add()),
                   "MPI_Isend");
    }
}

/// `places`: where the segments of the packet begin.
void get(const Packet& packet, const std::int64_t* places, const mpi::Window& window,
         MPI_Request* request) {
    const int source = packet.peer.value;
    with_memory_of(packet, [&](void* address, int count, MPI_Datatype type) {
        if (packet.segments.size() == 1)
            return mpi::check(
                MPI_Rget(address, count, type, source, *places, count, type, window.get(), request),
                "MPI_Rget");
        const auto there = type_of(packet, places);
        mpi::check(MPI_Rget(address, count, type, source, 0, 1, there.get(), window.get(), request),
                   "MPI_Rget");
    });
}

class OneSided final : public Mover {
  public:
    OneSided(MoverInputs inputs, AccessEpoch epoch)
        : in_(std::move(inputs)), epoch_(std::move(epoch)), arrays_(moves_of_all(in_)) {}

    void start() override {
        const mpi::BoundedSends bounded;
        all_here_.begin(in_.comm, 0);
    }

    bool advance(const GivenUp& given_up) override {
        for (auto& array : arrays_) copy_kept(array.moves, in_.progress);  // while others arrive
        for (; stage_ != Stage::done; stage_ = next(stage_)) {
            if (!is_over(stage_, given_up)) return false;
            begin_after(stage_);
        }
        return true;
    }

    [[nodiscard]] Moved moved() const override {
        Moved all;
        for (const auto& array : arrays_) all += array.moves.moved;
        return all;
    }

  private:
    enum class Stage { barrier, placing, reading, parting, done };

    static Stage next(Stage stage) { return static_cast<Stage>(static_cast<int>(stage) + 1); }

    // A newcomer may die at any time: sends to it are bounded.
    bool is_over(Stage stage, const GivenUp& given_up) {
        const mpi::BoundedSends bounded;
        switch (stage) {
            case Stage::barrier:
                return all_here_.advance(in_.progress, given_up);
            case Stage::placing:
                return placing_.complete_all(in_.progress, given_up);
            case Stage::reading:
                return all_read(given_up);
            default:
                return all_done_.advance(in_.progress, given_up);
        }
    }

    // All ranks have arrived, so MPI_Win_create and MPI_Win_free, which are collective, do not wait
    // for a late rank.
    void begin_after(Stage stage) {
        const mpi::BoundedSends bounded;
        switch (stage) {
            case Stage::barrier:
                return expose();
            case Stage::placing:
                return begin_reading();
            case Stage::reading:
                return end_reading();
            default:
                for (auto& window : std::exchange(windows_, {})) window.free();
        }
    }

    void expose() {
        for (auto& array : arrays_) {
            windows_.push_back(mpi::Window::over(in_.comm, array.memory, array.bytes));
            exchange_places(in_.comm, array, placing_);
            in_.progress.step();
        }
    }

    void begin_reading() {
        for (std::size_t i = 0; i < arrays_.size(); ++i) {
            const auto& array = arrays_[i];
            if (!array.read.empty()) epoch_.begin(windows_[i], peers_of(array.moves.received));
            std::map<Rank, std::size_t> next_place;
            for (const auto& packet : array.moves.received) {
                auto& first = next_place[packet.peer];
                sources_.push_back(packet.peer);
                get(packet, array.read.at(packet.peer).data() + first, windows_[i], reading_.add());
                first += packet.segments.size();
            }
        }
        for (const auto& array : arrays_) listen(array);
    }

    // A source has no other way to see that its targets make progress.
    void listen(const ArrayMoves& array) {
        for (const auto& packet : array.moves.sent)
            mpi::check(MPI_Irecv(nullptr, 0, MPI_BYTE, packet.peer.value, got_tag, in_.comm.get(),
                                 reading_.add()),
                       "MPI_Irecv");
    }

    bool all_read(const GivenUp& given_up) {
        return reading_.complete_all_awake(in_.progress, given_up, [this](std::size_t which) {
            if (which < sources_.size())
                mpi::check(
                    MPI_Send(nullptr, 0, MPI_BYTE, sources_[which].value, got_tag, in_.comm.get()),
                    "MPI_Send");
        });
    }

    // A source keeps its windows until all ranks have read: it may be a leaver, which then ends.
    void end_reading() {
        for (std::size_t i = 0; i < arrays_.size(); ++i)
            if (!arrays_[i].read.empty())
                epoch_.end(windows_[i], peers_of(arrays_[i].moves.received));
        all_done_.begin(in_.comm, 0);
    }

    const MoverInputs in_;
    const AccessEpoch epoch_;
    std::deque<ArrayMoves> arrays_;
    AllHere all_here_, all_done_;
    std::deque<mpi::Window> windows_;  ///< for each array, while they are open
    std::vector<Rank> sources_;        ///< sources of the first requests of reading_
    PendingRequests placing_, reading_;
    Stage stage_ = Stage::barrier;
};

}  // namespace

std::unique_ptr<Mover> make_rma_mover(MoverInputs inputs, AccessEpoch epoch) {
    return std::make_unique<OneSided>(std::move(inputs), std::move(epoch));
}

}  // namespace ductile::data
