// A program that grows once and then sleeps. Its newcomers report how much processor time they have
// used up to the first barrier.
//   ductile run ... -- grow_and_rest FOLDER
#include <ductile/ductile.hpp>

#include <cstdlib>

#include "common/loop.hpp"
#include "common/rest.hpp"

using namespace ductile::bench;

namespace {

bool has_grown(ductile::Job& job) {
    const auto answer = job.resize_point();
    return answer != ductile::Resized::unchanged && answer != ductile::Resized::pending;
}

}  // namespace

int main(int argc, char** argv) {
    ductile::Job job(argc, argv);
    if (argc < 2) return 2;
    const std::string folder = argv[1];
    int sources = job.size();
    const auto sources_ = job.replicate("sources", sources);
    if (job.fresh()) {
        const char* id = std::getenv("DUCTILE_JOB");
        if (job.rank() == 0) leave_note(folder, note_ready, id == nullptr ? "" : id);
        do iterate(job.comm(), 1);
        while (!has_grown(job));
    }
    MPI_Barrier(job.comm());
    const double used_s = own_processor_time_s();
    if (!job.fresh())
        leave_note(folder, note_of_newcomer(job.rank() - sources), std::to_string(used_s));
    rest_until(folder, note_end);
}
