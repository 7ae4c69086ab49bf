#include "heat/field_file.hpp"

#include <fstream>
#include <stdexcept>

namespace heat {

namespace {

constexpr int tag_size = 3;
constexpr int tag_rows = 4;

// A row as one MPI element, so that counts stay small.
class RowType {
  public:
    explicit RowType(std::int64_t cols) {
        MPI_Type_contiguous(static_cast<int>(cols), MPI_DOUBLE, &type_);
        MPI_Type_commit(&type_);
    }
    ~RowType() { MPI_Type_free(&type_); }
    RowType(const RowType&) = delete;
    RowType& operator=(const RowType&) = delete;
    [[nodiscard]] MPI_Datatype get() const { return type_; }

  private:
    MPI_Datatype type_ = MPI_DATATYPE_NULL;
};

class FieldWriter {
  public:
    FieldWriter(const std::string& path, const Block& block, std::int64_t step) : path_(path) {
        if (path.empty()) return;
        file_.open(path, std::ios::binary | std::ios::trunc);
        const std::int64_t numbers[3] = {block.rows, block.cols, step};
        file_.write("DUCTHEAT", 8);
        file_.write(reinterpret_cast<const char*>(numbers), sizeof numbers);
    }
    void add(const double* values, std::size_t count) {
        const auto* bytes = reinterpret_cast<const unsigned char*>(values);
        for (std::size_t i = 0; i < count * sizeof(double); ++i)
            checksum_ = (checksum_ ^ bytes[i]) * 0x100000001b3U;
        if (!path_.empty())
            file_.write(reinterpret_cast<const char*>(values),
                        static_cast<std::streamsize>(count * sizeof(double)));
    }
    std::uint64_t finish() {
        if (!path_.empty()) {
            file_.close();
            if (!file_) throw std::runtime_error("heat: cannot write the field to " + path_);
        }
        return checksum_;
    }

  private:
    std::string path_;
    std::ofstream file_;
    std::uint64_t checksum_ = 0xcbf29ce484222325U;
};

}  // namespace

std::uint64_t write_field(MPI_Comm comm, Block block, std::int64_t step, const std::string& path) {
    int rank = 0;
    int ranks = 0;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    const RowType row(block.cols);
    if (rank != 0) {
        MPI_Send(&block.count, 1, MPI_INT64_T, 0, tag_size, comm);
        MPI_Send(block.values.data(), static_cast<int>(block.count), row.get(), 0, tag_rows, comm);
        return 0;
    }
    FieldWriter writer(path, block, step);
    writer.add(block.values.data(), block.values.size());
    std::vector<double> received;
    for (int source = 1; source < ranks; ++source) {
        std::int64_t count = 0;
        MPI_Recv(&count, 1, MPI_INT64_T, source, tag_size, comm, MPI_STATUS_IGNORE);
        received.resize(static_cast<std::size_t>(count * block.cols));
        MPI_Recv(received.data(), static_cast<int>(count), row.get(), source, tag_rows, comm,
                 MPI_STATUS_IGNORE);
        writer.add(received.data(), received.size());
    }
    return writer.finish();
}

}  // namespace heat
