// A program that moves its data itself. Element i of a field is i plus the number of steps done.
// The field is not registered with the job. Before each resize each rank makes a table for its next
// place.
// clang-format off
// usage: own_data STEPS MICROSECONDS_A_STEP ELEMENTS. The environment tells it what to do:
//   OWN_DATA_FAIL=WHAT:WHERE:WHO:SIZE  at a resize to SIZE ranks, in WHERE = prepare|move, on WHO = new|old|all, WHAT = throw|die|hang;
//                                      old is rank 1 of the job before
//   OWN_DATA_ENOUGH=N                  it ends when the job has more than N ranks (never)
//   OWN_DATA_PREPARE_US=N, OWN_DATA_PREPARE_OLD_US=N  preparing takes N microseconds; N longer on rank 1 of the job before
//   OWN_DATA_MOVE_US=N                 moving takes N microseconds longer on the first rank
// clang-format on
#include <signal.h>
#include <unistd.h>

#include <cstdlib>
#include <ductile/ductile.hpp>
#include <iostream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

void sleep_as_told(const char* name) {
    if (const char* value = std::getenv(name)) ::usleep(static_cast<useconds_t>(std::atol(value)));
}

bool is_told(const std::string& where, const std::string& who, int size, std::string& what) {
    const char* told = std::getenv("OWN_DATA_FAIL");
    if (told == nullptr) return false;
    std::istringstream words(told);
    std::string there, whom, at;
    std::getline(words, what, ':'), std::getline(words, there, ':');
    std::getline(words, whom, ':'), std::getline(words, at, ':');
    return there == where && (whom == who || whom == "all") && std::stoi(at) == size;
}

void fail_if_told(const std::string& where, const std::string& who, int size) {
    std::string what;
    if (!is_told(where, who, size, what)) return;
    if (what == "die") ::raise(SIGKILL);
    while (what == "hang") ::pause();
    throw std::runtime_error("told to throw");
}

struct Blocks {
    long elements;
    int parts;
    [[nodiscard]] long begin(int part) const { return elements * part / parts; }
    [[nodiscard]] long end(int part) const { return begin(part + 1); }
};

class OwnData {
  public:
    OwnData(long elements, ductile::Schema& schema) : elements_(elements) {
        schema.on_prepare([this](ductile::Place place) { prepare(place); });
        schema.on_redistribute([this](const ductile::DataMove& move) { redistribute(move); });
    }
    void begin(ductile::Job& job) {
        if (job.fresh()) {
            next_ = {job.rank(), job.size()};
            make_table();
            for (long i = block(next_).begin(job.rank()); i < block(next_).end(job.rank()); ++i)
                next_field_.push_back(i);
        }
        job.on_rebuild([this] { take_over(); });
    }
    void advance() {
        for (long& value : field_) ++value;
    }
    [[nodiscard]] long wrong(const ductile::Job& job, long step) const {
        const Blocks now{elements_, job.size()};
        const long first = now.begin(job.rank());
        const auto count = static_cast<std::size_t>(now.end(job.rank()) - first);
        long wrong = field_.size() == count && table_.size() == count ? 0 : 1;
        for (std::size_t i = 0; i < std::min(field_.size(), table_.size()); ++i)
            wrong += (field_[i] != first + static_cast<long>(i) + step) +
                     (table_[i] != 7 * (first + static_cast<long>(i)));
        return wrong;
    }

  private:
    [[nodiscard]] Blocks block(ductile::Place place) const { return {elements_, place.size}; }

    void prepare(ductile::Place place) {
        fail_if_told("prepare", was_.size == 0 ? "new" : was_.rank == 1 ? "old" : "", place.size);
        sleep_as_told("OWN_DATA_PREPARE_US");
        if (was_.size != 0 && was_.rank == 1) sleep_as_told("OWN_DATA_PREPARE_OLD_US");
        next_ = place;
        make_table();
    }
    void make_table() {
        next_table_.clear();
        for (long i = block(next_).begin(next_.rank); i < block(next_).end(next_.rank); ++i)
            next_table_.push_back(7 * i);
    }
    void redistribute(const ductile::DataMove& move) {
        const Blocks before{elements_, static_cast<int>(move.sources.size())};
        const Blocks after{elements_, static_cast<int>(move.targets.size())};
        fail_if_told("move",
                     move.rank_before < 0    ? "new"
                     : move.rank_before == 1 ? "old"
                                             : "",
                     after.parts);
        if (move.rank == 0) sleep_as_told("OWN_DATA_MOVE_US");
        std::vector<MPI_Request> requests;
        const auto each = [&](int own, const Blocks& mine, const Blocks& theirs,
                              const std::vector<int>& ranks, auto call) {
            for (int part = 0; own >= 0 && part < theirs.parts; ++part) {
                const long from = std::max(mine.begin(own), theirs.begin(part));
                const long to = std::min(mine.end(own), theirs.end(part));
                if (from < to)
                    call(from - mine.begin(own), static_cast<int>(to - from),
                         ranks[static_cast<std::size_t>(part)], &requests.emplace_back());
            }
        };
        if (move.rank_after >= 0)
            next_field_.assign(
                static_cast<std::size_t>(after.end(move.rank_after) - after.begin(move.rank_after)),
                -1);
        each(move.rank_after, after, before, move.sources,
             [&](long at, int count, int rank, MPI_Request* request) {
                 MPI_Irecv(&next_field_[static_cast<std::size_t>(at)], count, MPI_LONG, rank, 0,
                           move.comm, request);
             });
        each(move.rank_before, before, after, move.targets,
             [&](long at, int count, int rank, MPI_Request* request) {
                 MPI_Isend(&field_[static_cast<std::size_t>(at)], count, MPI_LONG, rank, 0,
                           move.comm, request);
             });
        MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
    }
    void take_over() {
        field_ = next_field_;
        table_ = next_table_;
        was_ = next_;
    }

    const long elements_;
    ductile::Place was_{0, 0}, next_{0, 0};
    std::vector<long> field_, next_field_, table_, next_table_;
};

}  // namespace

int main(int argc, char** argv) {
    const long steps = std::atol(argv[1]);
    long step = 0;
    ductile::Schema schema;
    OwnData data(std::atol(argv[3]), schema);
    ductile::Job job(argc, argv, {}, schema);
    const auto progress = job.replicate("step", step);
    data.begin(job);
    const char* enough = std::getenv("OWN_DATA_ENOUGH");
    while (step < steps) {
        ::usleep(static_cast<useconds_t>(std::atol(argv[2])));
        data.advance();
        ++step;
        long mine = data.wrong(job, step), all = 0;
        MPI_Allreduce(&mine, &all, 1, MPI_LONG, MPI_SUM, job.comm());
        if (all != 0) return 92;
        if (enough != nullptr && job.size() > std::atoi(enough)) break;
        if (job.resize_point() == ductile::Resized::leave) return 0;
    }
    if (job.rank() == 0) std::cout << "end" << std::endl;
}
