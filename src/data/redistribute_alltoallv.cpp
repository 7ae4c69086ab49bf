#include "data/redistribute_alltoallv.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <utility>

#include "data/all_here.hpp"
#include "data/packet_memory.hpp"
#include "data/ready_messages.hpp"
#include "mpi/bounded_sends.hpp"

namespace ductile::data {

namespace {

// What one rank sends or receives in one round. Entries of ranks without a packet are empty.
class RoundSide {
  public:
    explicit RoundSide(std::size_t ranks)
        : counts(ranks, 0), places(ranks, 0), types(ranks, MPI_BYTE) {}

    void add(const Packet& packet) {
        if (memory == nullptr) memory = packet.segments.front().memory;
        const auto peer = static_cast<std::size_t>(packet.peer.value);
        const auto place = distance(memory, packet.segments.front().memory);
        if (packet.segments.size() == 1 && std::in_range<int>(place)) {
            // Between ranks of one host, MPICH copies plain bytes directly.
            places[peer] = static_cast<int>(place);
            counts[peer] = packet.bytes;
            return;
        }
        counts[peer] = 1;
        types[peer] = owned_.emplace_back(type_of(packet, memory)).get();
    }

    std::byte* memory = nullptr;  ///< of the first packet; the places of others are relative to it
    std::vector<int> counts;
    std::vector<int> places;  ///< in bytes; 0 if the type has the places
    std::vector<MPI_Datatype> types;

  private:
    std::deque<mpi::Datatype> owned_;
};

// MPI reads it until the round ends.
struct Round {
    RoundSide sent, received;
};

// The i-th packet between two ranks belongs to round i: both ranks list them in the same order.
class RoundCounter {
  public:
    std::size_t round_of(const Packet& packet) { return next_[packet.peer]++; }

  private:
    std::map<core::Rank, std::size_t> next_;
};

std::int64_t rounds_for(const std::vector<Packet>& packets) {
    RoundCounter counter;
    std::size_t rounds = 0;
    for (const auto& packet : packets) rounds = std::max(rounds, counter.round_of(packet) + 1);
    return static_cast<std::int64_t>(rounds);
}

class ByCollectives final : public Mover {
  public:
    explicit ByCollectives(MoverInputs inputs)
        : in_(std::move(inputs)), moves_(moves_of(in_.comm, in_.movement)) {}

    void start() override {
        const mpi::BoundedSends bounded;
        for (const auto target : peers_of(moves_.sent)) receive_ready(in_.comm, target, requests_);
        send_ready(in_.comm, moves_);
        all_here_.begin(in_.comm, rounds_for(moves_.sent));
    }

    bool advance(const GivenUp& given_up) override {
        copy_kept(moves_, in_.progress);  // while other ranks arrive
        if (stage_ == Stage::barrier) {
            if (!barrier_is_over(given_up)) return false;
            begin_rounds();
            stage_ = Stage::moving;
        }
        return requests_.complete_all_awake(in_.progress, given_up);
    }

    [[nodiscard]] Moved moved() const override { return moves_.moved; }

  private:
    enum class Stage { barrier, moving };

    bool barrier_is_over(const GivenUp& given_up) {
        const mpi::BoundedSends bounded;  // a newcomer may have died since the join
        return requests_.complete_all(in_.progress, given_up) &&
               all_here_.advance(in_.progress, given_up);
    }

    void plan_rounds() {
        const auto ranks = static_cast<std::size_t>(in_.comm.size());
        for (std::int64_t i = 0; i < all_here_.largest(); ++i)
            rounds_.push_back({RoundSide(ranks), RoundSide(ranks)});
        RoundCounter sent, received;
        for (const auto& packet : moves_.sent) rounds_[sent.round_of(packet)].sent.add(packet);
        for (const auto& packet : moves_.received)
            rounds_[received.round_of(packet)].received.add(packet);
    }

    // Only the first messages are bounded. After them a busy receiver may take as long as it likes.
    void begin_rounds() {
        plan_rounds();
        auto first_is_bounded = std::make_optional<mpi::BoundedSends>();
        for (const auto& [sent, received] : rounds_) {
            mpi::check(MPI_Ialltoallw(sent.memory, sent.counts.data(), sent.places.data(),
                                      sent.types.data(), received.memory, received.counts.data(),
                                      received.places.data(), received.types.data(), in_.comm.get(),
                                      requests_.add()),
                       "MPI_Ialltoallw");
            first_is_bounded.reset();
        }
    }

    const MoverInputs in_;
    LocalMoves moves_;
    AllHere all_here_;
    std::deque<Round> rounds_;
    PendingRequests requests_;
    Stage stage_ = Stage::barrier;
};

}  // namespace

std::unique_ptr<Mover> make_alltoallv_mover(MoverInputs inputs) {
    return std::make_unique<ByCollectives>(std::move(inputs));
}

}  // namespace ductile::data
