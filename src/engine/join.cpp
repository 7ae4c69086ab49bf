#include "engine/join.hpp"

#include <algorithm>

namespace ductile::engine {

namespace {

constexpr int join_tag = 0x0d10;

std::string broadcast(const mpi::Comm& comm, const std::string& from_root,
                      data::Progress& progress) {
    constexpr std::int64_t piece = std::int64_t{256} << 20;
    std::string bytes = from_root;
    auto length = static_cast<std::int64_t>(bytes.size());
    mpi::check(MPI_Bcast(&length, 1, MPI_INT64_T, 0, comm.get()), "MPI_Bcast");
    progress.step();
    bytes.resize(static_cast<std::size_t>(length));
    for (std::int64_t done = 0; done < length; done += piece) {
        const int n = static_cast<int>(std::min(piece, length - done));
        mpi::check(MPI_Bcast(bytes.data() + done, n, MPI_BYTE, 0, comm.get()), "MPI_Bcast");
        progress.step();
    }
    return bytes;
}

}  // namespace

Joined join_sides(const JoinSide& side, const std::string& state, data::Progress& progress) {
    const MPI_Comm bridge = side.bridge ? side.bridge->get() : MPI_COMM_NULL;
    const int remote_leader = side.newcomers ? 0 : 1;
    const auto between =
        mpi::intercomm_create(*side.local, side.leader, bridge, remote_leader, join_tag);
    progress.step();
    auto job = mpi::merge(between, side.newcomers);
    progress.step();
    Joined joined;
    joined.comms = with_duplicates(std::move(job));
    progress.step();
    joined.state = broadcast(*joined.comms.switching, state, progress);
    return joined;
}

}  // namespace ductile::engine
