// The data that a program written for MaM has registered.
#pragma once

#include <mpi.h>

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ductile/job.hpp"
#include "job/mam/data_type.hpp"

namespace ductile::mam {

/// The entries of each kind have their own numbers, from 0.
struct DataKind {
    bool replicated = false;
    bool constant = false;
    [[nodiscard]] std::size_t number() const {
        return (replicated ? 2U : 0U) + (constant ? 1U : 0U);
    }
};

struct DataEntry {
    void* data = nullptr;
    std::size_t total = 0;
    MPI_Datatype type = MPI_DATATYPE_NULL;
    DataType described;
    std::optional<detail::Registration> registration;
    std::shared_ptr<detail::ArrayState> array;  ///< null for replicated data
};

class ProgramData {
  public:
    /// In an added process: holds all that has arrived, in memory that the program frees. Throws
    /// what registrations throw.
    explicit ProgramData(Job& job);
    ProgramData(const ProgramData&) = delete;
    ProgramData& operator=(const ProgramData&) = delete;
    ~ProgramData() = default;

    /// Returns the number of the entry. Throws InputError if the elements of the type do not lie
    /// one after the other, or if `data` is null although this process has elements.
    std::size_t add(DataKind kind, void* data, std::size_t total, MPI_Datatype type);
    /// Throws UsageError if there is no such entry.
    void modify(DataKind kind, std::size_t index, void* data, std::size_t total, MPI_Datatype type);
    [[nodiscard]] std::size_t count(DataKind kind) const { return entries_of(kind).size(); }
    /// Throws UsageError if there is no such entry.
    [[nodiscard]] const DataEntry& entry(DataKind kind, std::size_t index) const;

    /// After a resize, distributed data is in new memory. From now on the program owns this memory.
    void hand_over();

  private:
    using Entries = std::vector<DataEntry>;
    [[nodiscard]] const Entries& entries_of(DataKind kind) const {
        return entries_.at(kind.number());
    }
    void expect_entry(DataKind kind, std::size_t index) const;
    void put(DataKind kind, std::size_t index, DataEntry entry);
    void claim(DataKind kind, std::size_t total, DataType type);
    void claim_what_arrived();
    void write_directory();

    Job& job_;
    std::array<Entries, 4> entries_;
    std::string directory_;  ///< describes all entries, for processes that are added
    Replicated<std::string> registered_directory_;
};

}  // namespace ductile::mam
