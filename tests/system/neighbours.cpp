// A program that checks its own data. Element i of a field is i plus the number of steps done. The
// program works on a copy of the field with ghosts, and makes the copy again at each resize. Row i
// of a matrix has i % 5 numbers. Each rank has a stretch of a line, and the records that are in it.
// clang-format off
// usage: neighbours STEPS MICROSECONDS_A_STEP ELEMENTS. The environment tells it what to do wrong:
//   NEIGHBOURS_THROW=before_move|rebuild   rank 1 throws there, at a resize
//   NEIGHBOURS_REBUILD_US=N                rebuilding takes N microseconds at a resize
//   NEIGHBOURS_ENOUGH=N                    it ends when the job has more than N ranks (never)
// clang-format on
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <ductile/ductile.hpp>
#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

long number(const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr ? 0 : std::atol(value);
}

class Stencil {
  public:
    Stencil(ductile::Job& job, std::int64_t elements)
        : job_(job),
          progress_(job.replicate("progress", step_, moved_, note_)),
          field_(job.distribute<long>("field", elements, ductile::Halo{1, 1})) {
        if (job.fresh())
            for (std::int64_t i = 0; i < field_.count(); ++i) field_[i] = field_.offset() + i;
        job.before_move([this] { save(); });
        job.on_rebuild([this] { rebuild(); });
        starting_ = false;
    }

    void advance() {
        for (long& value : work_) ++value;
        ++step_;
    }
    [[nodiscard]] long step() const { return step_; }
    /// Elements and ghosts that are not what they should be, and values that did not arrive.
    [[nodiscard]] long wrong() const {
        long wrong = note_ == "from rank 0" ? 0 : 1;
        const auto n = static_cast<std::int64_t>(work_.size());
        for (std::int64_t i = 0; i < n; ++i)
            wrong += work_[static_cast<std::size_t>(i)] != first_ + i + step_;
        return wrong + wrong_ghosts_ + (size_ == job_.size() ? 0 : 1);
    }
    [[nodiscard]] long moved() const { return moved_; }

  private:
    void maybe_throw(const char* where) const {
        const char* asked = std::getenv("NEIGHBOURS_THROW");
        if (!starting_ && asked != nullptr && std::string(asked) == where && job_.rank() == 1)
            throw std::runtime_error("told to throw");
    }
    void save() {
        maybe_throw("before_move");
        std::copy(work_.begin(), work_.end(), field_.local().begin());
        ++moved_;
    }
    void rebuild() {
        maybe_throw("rebuild");
        if (!starting_) ::usleep(static_cast<useconds_t>(number("NEIGHBOURS_REBUILD_US")));
        size_ = job_.size();
        first_ = field_.offset();
        const auto own = field_.local();
        work_.assign(own.begin(), own.end());
        exchange();
    }
    void exchange() {
        const auto all = field_.with_halo();
        const int left = job_.rank() > 0 ? job_.rank() - 1 : MPI_PROC_NULL;
        const int right = job_.rank() + 1 < job_.size() ? job_.rank() + 1 : MPI_PROC_NULL;
        MPI_Sendrecv(&all[1], 1, MPI_LONG, left, 0, &all.back(), 1, MPI_LONG, right, 0, job_.comm(),
                     MPI_STATUS_IGNORE);
        MPI_Sendrecv(&all[all.size() - 2], 1, MPI_LONG, right, 0, &all.front(), 1, MPI_LONG, left,
                     0, job_.comm(), MPI_STATUS_IGNORE);
        const long behind = first_ + static_cast<long>(work_.size());
        wrong_ghosts_ = (left >= 0 && all.front() != first_ - 1 + step_ ? 1 : 0) +
                        (right >= 0 && all.back() != behind + step_ ? 1 : 0);
    }

    ductile::Job& job_;
    bool starting_ = true;
    long step_ = 0, moved_ = 0, first_ = 0, wrong_ghosts_ = 0;
    int size_ = 0;
    std::string note_ = job_.fresh() ? "from rank 0" : "";
    ductile::Replicated<long, long, std::string> progress_;
    ductile::Distributed<long> field_;
    std::vector<long> work_;
};

class Matrix {
  public:
    Matrix(ductile::Job& job, std::int64_t rows)
        : rows_(job.distribute_rows<long>("matrix", rows,
                                          ductile::Distribution::balanced(numbers_before))) {
        if (!job.fresh()) return;
        std::vector<std::int64_t> lengths;
        for (std::int64_t i = 0; i < rows_.count(); ++i) lengths.push_back(rows_.to_global(i) % 5);
        rows_.set_lengths(lengths);
        for (std::int64_t i = 0; i < rows_.count(); ++i)
            for (std::size_t j = 0; j < rows_[i].size(); ++j)
                rows_[i][j] = 10 * rows_.to_global(i) + static_cast<long>(j);
    }
    static std::int64_t numbers_before(std::int64_t row) {
        return row / 5 * 10 + row % 5 * (row % 5 - 1) / 2;
    }
    [[nodiscard]] long wrong() const {
        long wrong = 0;
        for (std::int64_t i = 0; i < rows_.count(); ++i) {
            const auto row = rows_.to_global(i);
            wrong += std::ssize(rows_[i]) != row % 5;
            for (std::size_t j = 0; j < rows_[i].size(); ++j)
                wrong += rows_[i][j] != 10 * row + static_cast<long>(j);
        }
        return wrong;
    }

  private:
    ductile::Ragged<long> rows_;
};

struct Walker {
    long name = 0;
    double place = 0;  // 0 <= place < 1
};

class Crowd {
  public:
    Crowd(ductile::Job& job, long size)
        : job_(job), size_(size), walkers_in_job_(job.redistribute_by("crowd", walkers_, home)) {
        if (!job.fresh()) return;
        for (long name = 0; name < size; ++name)
            if (const double place = double(name) / double(size);
                home({name, place}, job.size()) == job.rank())
                walkers_.push_back({name, place});
    }
    /// Walkers that leave the rank's stretch stay on the rank until the next resize.
    void walk() {
        for (auto& walker : walkers_) walker.place = std::fmod(walker.place + 0.37, 1);
    }
    /// 0 if each walker is on exactly one rank of the job. Collective.
    [[nodiscard]] long wrong() const {
        long mine[2] = {std::ssize(walkers_), 0}, all[2] = {};
        for (const auto& walker : walkers_) mine[1] += walker.name;
        MPI_Allreduce(mine, all, 2, MPI_LONG, MPI_SUM, job_.comm());
        return std::labs(all[0] - size_) + std::labs(all[1] - size_ * (size_ - 1) / 2);
    }
    [[nodiscard]] long away() const {
        long away = 0;
        for (const auto& walker : walkers_) away += home(walker, job_.size()) != job_.rank();
        return away;
    }

  private:
    static int home(const Walker& walker, int ranks) {
        return static_cast<int>(walker.place * ranks);
    }

    ductile::Job& job_;
    const long size_;
    std::vector<Walker> walkers_;
    ductile::Records<Walker> walkers_in_job_;
};

/// Records of several lengths: list n holds its name n, and then n % 7 numbers: 0, n, 2 n ...
class Lists {
  public:
    Lists(ductile::Job& job, long size)
        : job_(job), size_(size), lists_in_job_(job.redistribute_by("lists", lists_, home)) {
        if (!job.fresh()) return;
        for (long name = job.rank(); name < size; name += job.size()) {
            auto& list = lists_.emplace_back(std::vector<long>{name});
            for (long i = 0; i < name % 7; ++i) list.push_back(name * i);
        }
    }
    /// 0 if each list is on its own rank only, and complete. Collective.
    [[nodiscard]] long wrong() const {
        long mine[3] = {}, all[3] = {};
        for (const auto& list : lists_) {
            ++mine[0], mine[1] += list[0];
            mine[2] +=
                home(list, job_.size()) != job_.rank() || std::ssize(list) != list[0] % 7 + 1;
            for (std::size_t i = 1; i < list.size(); ++i)
                mine[2] += list[i] != list[0] * static_cast<long>(i - 1);
        }
        MPI_Allreduce(mine, all, 3, MPI_LONG, MPI_SUM, job_.comm());
        return std::labs(all[0] - size_) + std::labs(all[1] - size_ * (size_ - 1) / 2) + all[2];
    }

  private:
    static int home(const std::vector<long>& list, int ranks) {
        return static_cast<int>(list[0] % ranks);
    }

    ductile::Job& job_;
    const long size_;
    std::vector<std::vector<long>> lists_;
    ductile::Records<std::vector<long>> lists_in_job_;
};

}  // namespace

int main(int argc, char** argv) {
    ductile::Job job(argc, argv);
    const long steps = std::atol(argv[1]);
    long lost = 0;
    Stencil stencil(job, std::atol(argv[3]));
    Matrix matrix(job, std::atol(argv[3]));
    Crowd crowd(job, std::atol(argv[3]));
    Lists lists(job, std::atol(argv[3]));
    job.on_rebuild([&] { lost += crowd.away(); });
    const long enough = number("NEIGHBOURS_ENOUGH");
    while (stencil.step() < steps) {
        ::usleep(static_cast<useconds_t>(std::atol(argv[2])));
        stencil.advance();
        crowd.walk();
        long mine = stencil.wrong() + matrix.wrong() + crowd.wrong() + lists.wrong() + lost,
             all = 0;
        MPI_Allreduce(&mine, &all, 1, MPI_LONG, MPI_SUM, job.comm());
        if (all != 0) return 92;
        if (enough > 0 && job.size() > enough) break;
        if (job.resize_point() == ductile::Resized::leave) return 0;
    }
    if (job.rank() == 0) std::cout << "end moved " << stencil.moved() << std::endl;
}
