#include "data/packet_memory.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "mpi/check.hpp"

namespace ductile::data {

namespace {

std::vector<int> bytes_of(const Packet& packet) {
    std::vector<int> bytes;
    for (const auto& segment : packet.segments) bytes.push_back(segment.bytes);
    return bytes;
}

void copy_by_functions(const Kept& kept) {
    constexpr std::size_t most = std::size_t{1} << 20U;
    std::vector<std::byte> near(std::min(most, kept.bytes));
    for (std::size_t done = 0; done < kept.bytes; done += most) {
        const auto bytes = std::min(most, kept.bytes - done);
        kept.far->copy_out(near.data(), kept.from + done, bytes);
        kept.far->copy_in(kept.to + done, near.data(), bytes);
    }
}

void copy(const Kept& kept) {
    if (kept.far) return copy_by_functions(kept);
    std::memcpy(kept.to, kept.from, kept.bytes);
}

}  // namespace

MPI_Aint distance(const std::byte* from, const std::byte* to) {
    MPI_Aint begin = 0, end = 0;
    mpi::check(MPI_Get_address(from, &begin), "MPI_Get_address");
    mpi::check(MPI_Get_address(to, &end), "MPI_Get_address");
    return MPI_Aint_diff(end, begin);
}

mpi::Datatype type_of(const Packet& packet, const std::byte* memory) {
    std::vector<MPI_Aint> begins;
    for (const auto& segment : packet.segments) begins.push_back(distance(memory, segment.memory));
    return mpi::Datatype::of_stretches(begins, bytes_of(packet));
}

mpi::Datatype type_of(const Packet& packet, const std::int64_t* places) {
    return mpi::Datatype::of_stretches({places, places + packet.segments.size()}, bytes_of(packet));
}

void copy_kept(LocalMoves& moves, Progress& progress) {
    for (const auto& kept : std::exchange(moves.kept, {})) {
        copy(kept);
        progress.step();
    }
}

}  // namespace ductile::data
