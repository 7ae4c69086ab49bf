// Trees by host over real processes. Each two of them claim to be on a host of their own. One edge
// of the tree leads to each host, except the host of the root.
#include "groups/host_tree.hpp"

#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <vector>

#include "tree/tree_check.hpp"

namespace {

using namespace ductile;

int failures = 0;

void expect(bool holds, const char* what) {
    if (holds) return;
    ++failures;
    std::printf("FAILED: %s\n", what);
}

/// Gathers the positions of all processes, on each process. They are sent as numbers: self, rank,
/// size, level, label, parent, children.
std::vector<tree::TreePosition> gather(const std::optional<tree::TreePosition>& position,
                                       MPI_Comm comm) {
    constexpr int most = 40;
    std::vector<int> mine(most, -1);
    if (position) {
        mine[0] = position->self.value;
        mine[1] = position->rank;
        mine[2] = position->size;
        mine[3] = position->level;
        mine[4] = position->label;
        mine[5] = position->parent ? position->parent->value : -1;
        mine[6] = static_cast<int>(position->children.size());
        for (std::size_t i = 0; i < position->children.size(); ++i) {
            mine[7 + 2 * i] = position->children[i].id.value;
            mine[8 + 2 * i] = position->children[i].rank;
        }
    }
    int n = 0;
    MPI_Comm_size(comm, &n);
    std::vector<int> all(static_cast<std::size_t>(n) * most);
    MPI_Allgather(mine.data(), most, MPI_INT, all.data(), most, MPI_INT, comm);
    std::vector<tree::TreePosition> positions;
    for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i) {
        const int* at = &all[i * most];
        if (at[0] < 0) continue;
        tree::TreePosition found;
        found.self = tree::ProcessId{at[0]};
        found.rank = at[1];
        found.size = at[2];
        found.level = at[3];
        found.label = at[4];
        found.numbering = tree::Numbering::preorder;
        if (at[5] >= 0) found.parent = tree::ProcessId{at[5]};
        for (int child = 0; child < at[6]; ++child)
            found.children.push_back({tree::ProcessId{at[7 + 2 * child]}, at[8 + 2 * child]});
        positions.push_back(found);
    }
    return positions;
}

void test(MPI_Comm comm, const tree::Method& method, unsigned members) {
    int rank = 0, size = 0;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    groups::GroupSpace space(comm, "host " + std::to_string(rank / 2));
    expect(space.host().value == rank / 2 * 2, "the first on the host");
    const auto parent = tree::position_in_job(space.self(), size, method.branching);
    const bool in = (members >> static_cast<unsigned>(rank) & 1U) != 0;
    const auto position = groups::enrol_by_host(space, space.root_key().next(0), method, parent,
                                                in ? std::optional{tree::Colour{0}} : std::nullopt);
    expect(position.has_value() == in, "members have a position");
    const auto positions = gather(position, comm);
    if (!positions.empty()) {
        const auto facts = tree::check_tree(positions);
        expect(facts.largest_degree <= 2 * method.branching, "the degree");
        std::vector<bool> host(static_cast<std::size_t>(size));
        int hosts = 0, crossing = 0;
        for (const auto& s : positions) {
            const auto on = static_cast<std::size_t>(s.self.value / 2);
            if (!host[on]) ++hosts;
            host[on] = true;
            if (s.parent && s.parent->value / 2 != s.self.value / 2) ++crossing;
        }
        expect(crossing == hosts - 1, "one edge to each host but the root's");
    }
    MPI_Barrier(comm);
    space.retire();
}

}  // namespace

int main(int argc, char** argv) {
    int provided = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    int size = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    try {
        for (const auto algorithm :
             {tree::Algorithm::centralized, tree::Algorithm::shrink_and_balance})
            for (unsigned members = 0; members < 1U << static_cast<unsigned>(size); ++members)
                test(MPI_COMM_WORLD, {algorithm, tree::Filler::leaf, 2}, members);
    } catch (const std::exception& error) {
        std::printf("FAILED: %s\n", error.what());
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    int sum = 0;
    MPI_Allreduce(&failures, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Finalize();
    return sum == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
