#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>
#include <optional>
#include <set>

#include "data/redistribute.hpp"
#include "mpi/bounded_sends.hpp"
#include "mpi/wait_asleep.hpp"
#include "plan/transfer_plan.hpp"

namespace ductile::data {

namespace {

constexpr std::int64_t piece_bytes = std::int64_t{64} << 20;
constexpr int array_tag = 0x0d0c;
constexpr int ready_tag = 0x0d0d;

using core::Rank;

// The messages of one redistribution. A rank is sent its data when it says that it has posted its
// receives, and not before: nothing is sent to a newcomer that has died or stopped by then, which
// MPICH would repeat for ever or take for fatal (docs/decisions/0003). Requests that an exception
// leaves behind are not waited for: the peer may be dead.
class Exchange {
  public:
    explicit Exchange(const mpi::Comm& comm) : comm_(comm) {}

    void receive(Rank source, std::byte* memory, int bytes) {
        mpi::check(
            MPI_Irecv(memory, bytes, MPI_BYTE, source.value, array_tag, comm_.get(), add(nobody)),
            "MPI_Irecv");
        sources_.insert(source);
    }
    void send(Rank target, const std::byte* memory, int bytes) {
        waiting_[target].push_back({memory, bytes});
    }

    /// After the last receive() and send().
    void say_ready() {
        for (const auto& [target, messages] : waiting_)
            mpi::check(
                MPI_Irecv(nullptr, 0, MPI_BYTE, target.value, ready_tag, comm_.get(), add(target)),
                "MPI_Irecv");
        for (const Rank source : sources_)
            mpi::check(MPI_Send(nullptr, 0, MPI_BYTE, source.value, ready_tag, comm_.get()),
                       "MPI_Send");
    }
    void wait_all(Progress& progress) {
        for (std::size_t done = 0; done < requests_.size(); ++done) {
            // Not MPI_Waitany, which nothing ends when a peer has died.
            const auto which =
                mpi::wait_any_asleep_unless(requests_, [&] { return progress.abandoned(); });
            if (!which) throw Abandoned();
            if (const Rank target = ready_[static_cast<std::size_t>(*which)]; target != nobody)
                start_sending(target);
            progress.step();
        }
    }

  private:
    struct Message {
        const std::byte* memory;
        int bytes;
    };
    static constexpr Rank nobody{-1};

    MPI_Request* add(Rank ready) {
        ready_.push_back(ready);
        return &requests_.emplace_back(MPI_REQUEST_NULL);
    }
    void start_sending(Rank target) {
        // It may have died since. Once it is spoken to, a busy receiver may take as long as it
        // likes.
        auto first_is_bounded = std::make_optional<mpi::BoundedSends>();
        for (const auto& message : waiting_.at(target)) {
            mpi::check(MPI_Isend(message.memory, message.bytes, MPI_BYTE, target.value, array_tag,
                                 comm_.get(), add(nobody)),
                       "MPI_Isend");
            first_is_bounded.reset();
        }
    }

    const mpi::Comm& comm_;
    std::set<Rank> sources_;
    std::map<Rank, std::vector<Message>> waiting_;  ///< by target
    std::vector<MPI_Request> requests_;
    std::vector<Rank> ready_;  ///< of each request: the target that it says is ready
};

// Calls f(begin, bytes) for each piece of a range.
template <class F>
void in_pieces(std::byte* begin, std::int64_t bytes, F f) {
    for (std::int64_t done = 0; done < bytes; done += piece_bytes)
        f(begin + done, static_cast<int>(std::min(piece_bytes, bytes - done)));
}

struct Copy {
    std::byte* to;
    const std::byte* from;
    std::size_t bytes;
};

// A transfer that is given up cannot be cancelled once it has begun: MPI may read and write its
// memory until the process ends.
void keep_for_good(const std::vector<Outgoing>& arrays, const std::vector<Block>& new_parts) {
    static std::mutex mutex;
    static auto& kept = *new std::vector<std::shared_ptr<std::byte[]>>;
    const std::lock_guard lock(mutex);
    for (const auto& array : arrays) kept.push_back(array.old_part.memory);
    for (const auto& part : new_parts) kept.push_back(part.memory);
}

int part_of(const std::vector<Rank>& ranks, Rank rank) {
    const auto it = std::lower_bound(ranks.begin(), ranks.end(), rank);
    return it != ranks.end() && *it == rank ? static_cast<int>(it - ranks.begin()) : -1;
}

}  // namespace

std::vector<Block> allocate_parts(Rank me, const Parties& parties,
                                  const std::vector<Outgoing>& arrays) {
    const int part = part_of(parties.targets, me);
    std::vector<Block> parts(arrays.size());
    if (part < 0) return parts;
    for (std::size_t i = 0; i < arrays.size(); ++i) {
        const auto& spec = arrays[i].spec;
        const plan::BlockDistribution to{spec.elements, static_cast<int>(parties.targets.size())};
        parts[i] = make_block(spec, to.begin(part), to.count(part));
    }
    return parts;
}

Moved redistribute_p2p(const mpi::Comm& comm, const Parties& parties,
                       const std::vector<Outgoing>& arrays, const std::vector<Block>& new_parts,
                       Progress& progress) {
    const Rank me{comm.rank()};
    Moved moved;
    Exchange exchange(comm);
    std::vector<Copy> copies;  // made while the others get ready
    for (std::size_t i = 0; i < arrays.size(); ++i) {
        const auto& spec = arrays[i].spec;
        const plan::BlockDistribution from{spec.elements, static_cast<int>(parties.sources.size())};
        const plan::BlockDistribution to{spec.elements, static_cast<int>(parties.targets.size())};
        const auto mine = plan::plan_transfer_of(me, from, parties.sources, to, parties.targets);
        const auto at = [&spec](const Block& block, std::int64_t element) {
            return block.memory.get() + (element - block.offset) * spec.element_bytes;
        };
        moved.bytes_new += new_parts[i].count * spec.element_bytes;
        for (const auto& t : mine.sent) {
            const std::int64_t bytes = t.count * spec.element_bytes;
            if (t.target == me) {
                in_pieces(at(new_parts[i], t.begin), bytes,
                          [&](std::byte* piece, int n) { exchange.receive(t.source, piece, n); });
            } else {
                moved.bytes_sent += bytes;
                in_pieces(at(arrays[i].old_part, t.begin), bytes,
                          [&](std::byte* piece, int n) { exchange.send(t.target, piece, n); });
            }
        }
        for (const auto& t : mine.kept)
            copies.push_back({at(new_parts[i], t.begin), at(arrays[i].old_part, t.begin),
                              static_cast<std::size_t>(t.count * spec.element_bytes)});
    }
    try {
        exchange.say_ready();
        for (const auto& copy : copies) {
            std::memcpy(copy.to, copy.from, copy.bytes);
            progress.step();
        }
        exchange.wait_all(progress);
    } catch (const std::exception&) {
        keep_for_good(arrays, new_parts);
        throw;
    }
    return moved;
}

}  // namespace ductile::data
