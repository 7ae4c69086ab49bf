// A program with one mistake, which `ductile run --check` is to find.
// clang-format off
// usage: mistakes MISTAKE SIZE STEPS. Rank 0 asks for a resize to SIZE ranks. STEPS steps follow the resize. In each step all ranks make
// a sum and check it. MISTAKE:
//   none        no mistake: communicators are made again, messages go round, groups of processes are used
//   world       after the resize a sum is made over MPI_COMM_WORLD
//   old         after the resize the first communicator of the job is used
//   made        after the resize a duplicate of the first communicator is used
//   span        after the resize the memory of an old part of an array is written to
//   frozen      an array is frozen, and written to
//   stayers     after the resize only the old ranks make a broadcast
//   stayers-sum after the resize only the old ranks make one more sum, like the sum that all ranks make in each step
//   silent      rank 1 never sends a message that rank 0 waits for
//   late        rank 1 computes for ever, while the others wait for its part of a sum
// clang-format on
#include <unistd.h>

#include <cstdlib>
#include <ductile/ductile.hpp>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

namespace {

void sum_over(MPI_Comm comm, int expected) {
    int one = 1, sum = 0;
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm);
    if (sum != expected) ::_exit(92);
}

/// All kinds of calls on communicators that are made from the job's.
class Friends {
  public:
    explicit Friends(ductile::Job& job) : job_(job) {
        job.on_rebuild([this] { rebuild(); });
    }
    Friends(const Friends&) = delete;
    Friends& operator=(const Friends&) = delete;
    ~Friends() { free_all(); }

    void talk() {
        const int ranks = job_.size(), me = job_.rank();
        int out = me, in = -1;
        MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
        MPI_Irecv(&in, 1, MPI_INT, (me + 1) % ranks, 5, all_, &requests[0]);
        MPI_Isend(&out, 1, MPI_INT, (me + ranks - 1) % ranks, 5, all_, &requests[1]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        if (in != (me + 1) % ranks) ::_exit(93);
        MPI_Ibarrier(job_.comm(), requests);
        MPI_Wait(requests, MPI_STATUS_IGNORE);
        sum_over(alike_, (ranks + 1 - me % 2) / 2);
        sum_over(MPI_COMM_SELF, 1);
    }

  private:
    void rebuild() {
        free_all();
        MPI_Comm_dup(job_.comm(), &all_);
        MPI_Comm_split(all_, job_.rank() % 2, 0, &alike_);
    }
    void free_all() {
        for (MPI_Comm* comm : {&all_, &alike_})
            if (*comm != MPI_COMM_NULL) MPI_Comm_free(comm);
    }

    ductile::Job& job_;
    MPI_Comm all_ = MPI_COMM_NULL, alike_ = MPI_COMM_NULL;
};

void use_group(ductile::Job& job) {
    const ductile::ProcessGroup all(job, true);
    long one = 1, sum = 0;
    all.allreduce(&one, &sum, 1, MPI_LONG, MPI_SUM);
    if (sum != job.size()) ::_exit(94);
}

void make(const std::string& mistake, ductile::Job& job) {
    if (mistake == "world") sum_over(MPI_COMM_WORLD, job.size());
    if (mistake == "late" && job.rank() == 1)
        for (;;) ::pause();
    if (mistake == "silent" && job.rank() == 0) {
        int value = 0;
        MPI_Recv(&value, 1, MPI_INT, 1, 7, job.comm(), MPI_STATUS_IGNORE);
    }
}

}  // namespace

int main(int argc, char** argv) {
    ductile::Job job(argc, argv);
    const std::string mistake = argv[1];
    const int size = std::atoi(argv[2]);
    long steps = std::atol(argv[3]), asked = 0;
    auto state = job.replicate("state", steps, asked);
    auto field = job.distribute<double>("field", 10000);
    const auto at_start_field = field.local();
    const MPI_Comm at_start = job.comm();
    MPI_Comm copy = MPI_COMM_NULL;
    if (mistake == "made" && job.fresh()) MPI_Comm_dup(at_start, &copy);
    std::unique_ptr<Friends> friends;
    if (mistake == "none") friends = std::make_unique<Friends>(job);
    while (steps > 0) {
        const bool is_resized = job.size() == size;
        if (is_resized) {
            --steps;
            make(mistake, job);
            if (mistake == "frozen") field.freeze();
        } else if (asked++ == 0 && job.rank() == 0) {
            job.request_resize(size);
        }
        for (auto& value : field.local()) value += 1;
        sum_over(job.comm(), job.size());
        if (friends) friends->talk();
        if (friends) use_group(job);
        ::usleep(2000);
        const auto answer = job.resize_point();
        if (answer == ductile::Resized::leave) break;
        if (answer != ductile::Resized::resized) continue;
        int word = 1;
        if (mistake == "stayers") MPI_Bcast(&word, 1, MPI_INT, 0, job.comm());
        if (mistake == "stayers-sum") sum_over(job.comm(), job.size());
        if (mistake == "old") MPI_Barrier(at_start);
        if (mistake == "span") at_start_field[7] = 1;
        if (mistake == "made") MPI_Barrier(copy);
    }
    if (job.member() && job.rank() == 0) std::cout << "end" << std::endl;
}
