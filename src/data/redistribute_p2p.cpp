#include "data/redistribute_p2p.hpp"

#include <map>
#include <optional>
#include <utility>

#include "data/packet_memory.hpp"
#include "data/ready_messages.hpp"
#include "mpi/bounded_sends.hpp"

namespace ductile::data {

namespace {

constexpr int array_tag = 0x0d0c;

using core::Rank;

class PointToPoint final : public Mover {
  public:
    explicit PointToPoint(MoverInputs inputs)
        : in_(std::move(inputs)), moves_(moves_of(in_.comm, in_.movement)) {}

    void start() override {
        post_receives();
        for (auto& packet : std::exchange(moves_.sent, {}))
            to_send_[packet.peer].push_back(std::move(packet));
        for (const auto& [target, packets] : to_send_) {
            expect(target);
            receive_ready(in_.comm, target, requests_);
        }
        send_ready(in_.comm, moves_);
    }

    bool advance(const GivenUp& given_up) override {
        copy_kept(moves_, in_.progress);  // while other ranks get ready
        return requests_.complete_all_awake(in_.progress, given_up, [this](std::size_t which) {
            if (const auto target = ready_[which]) start_sending(*target);
        });
    }

    [[nodiscard]] Moved moved() const override { return moves_.moved; }

  private:
    void expect(std::optional<Rank> ready) { ready_.push_back(ready); }

    MPI_Request* add_transfer() {
        expect(std::nullopt);
        return requests_.add();
    }

    void post_receives() {
        for (const auto& packet : moves_.received)
            with_memory_of(packet, [&](void* address, int count, MPI_Datatype type) {
                mpi::check(MPI_Irecv(address, count, type, packet.peer.value, array_tag,
                                     in_.comm.get(), add_transfer()),
                           "MPI_Irecv");
            });
    }

    void start_sending(Rank target) {
        // The target may have died after its ready message. Later messages have no bound: the
        // receiver may be busy.
        auto first_is_bounded = std::make_optional<mpi::BoundedSends>();
        for (const auto& packet : to_send_.at(target)) {
            with_memory_of(packet, [&](const void* address, int count, MPI_Datatype type) {
                mpi::check(MPI_Isend(address, count, type, target.value, array_tag, in_.comm.get(),
                                     add_transfer()),
                           "MPI_Isend");
            });
            first_is_bounded.reset();
        }
    }

    const MoverInputs in_;
    LocalMoves moves_;
    std::map<Rank, std::vector<Packet>> to_send_;  ///< by target
    PendingRequests requests_;
    std::vector<std::optional<Rank>> ready_;  ///< for each request: the target that gets ready
};

}  // namespace

std::unique_ptr<Mover> make_p2p_mover(MoverInputs inputs) {
    return std::make_unique<PointToPoint>(std::move(inputs));
}

}  // namespace ductile::data
