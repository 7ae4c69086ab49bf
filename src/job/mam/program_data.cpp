#include "job/mam/program_data.hpp"

#include <cstdlib>
#include <sstream>

#include "data/program_memory.hpp"
#include "job/job_access.hpp"
#include "job/memory_access.hpp"

namespace ductile::mam {

namespace {

std::string name_of(DataKind kind, std::size_t index) {
    return std::string("mam.") + (kind.replicated ? "replicated" : "distributed") +
           (kind.constant ? ".constant." : ".variable.") + std::to_string(index);
}

/// Allocates memory that the program frees.
void* allocate(std::size_t bytes) {
    // NOLINTNEXTLINE(cppcoreguidelines-no-malloc): programs of MaM free by free()
    void* memory = std::malloc(bytes > 0 ? bytes : 1);
    if (memory == nullptr)
        throw SystemError("cannot allocate " + std::to_string(bytes) +
                          " bytes for data that arrived");
    return memory;
}

detail::Registration register_memory(Job& job, const std::string& name, const DataEntry& entry) {
    if (entry.data == nullptr && entry.total > 0)
        throw InputError("NULL was passed as the memory of data");
    std::vector<ProgramMemory> pieces{
        {static_cast<std::byte*>(entry.data), entry.total * entry.described.bytes}};
    const auto type = entry.described.name + ", " + type_of_memory(pieces);
    return JobAccess::add_replicated(job, name, type,
                                     std::make_unique<MemoryAccess>(std::move(pieces)));
}

std::shared_ptr<detail::ArrayState> register_block(Job& job, const std::string& name,
                                                   const DataEntry& entry) {
    const auto bytes = static_cast<std::int64_t>(entry.described.bytes);
    auto array = data::add_borrowed_array(
        JobAccess::registry(job),
        {name, entry.described.name, 1, bytes, static_cast<std::int64_t>(entry.total)},
        static_cast<std::byte*>(entry.data), job.rank(), job.size());
    if (entry.data == nullptr && array->block.count > 0)
        throw InputError("NULL was passed as this process's block of data");
    return array;
}

}  // namespace

ProgramData::ProgramData(Job& job)
    : job_(job), registered_directory_(job.replicate("mam.data", directory_)) {
    if (!job.fresh()) claim_what_arrived();
}

void ProgramData::claim_what_arrived() {
    std::istringstream lines(directory_);
    DataKind kind;
    std::size_t total = 0;
    DataType type;
    while (lines >> kind.replicated >> kind.constant >> total >> type.bytes >> type.name)
        claim(kind, total, type);
    hand_over();
}

void ProgramData::claim(DataKind kind, std::size_t total, DataType type) {
    DataEntry entry;
    entry.total = total;
    entry.described = std::move(type);
    const auto name = name_of(kind, count(kind));
    if (kind.replicated) {
        entry.data = allocate(total * entry.described.bytes);
        entry.registration = register_memory(job_, name, entry);
    } else {
        auto added = JobAccess::add_array(job_,
                                          {name,
                                           entry.described.name,
                                           entry.described.bytes,
                                           static_cast<std::int64_t>(total),
                                           1,
                                           {}},
                                          Distribution());
        entry.registration = std::move(added.registration);
        entry.array = std::move(added.array);
    }
    const bool is_slice = entry.array && !entry.array->spec.moving.empty();
    entry.type = is_slice ? make_slice(entry.array->spec.moving, entry.described.bytes)
                          : make_type(entry.described);
    entries_.at(kind.number()).push_back(std::move(entry));
}

std::size_t ProgramData::add(DataKind kind, void* data, std::size_t total, MPI_Datatype type) {
    const auto index = count(kind);
    DataEntry entry{data, total, type, describe(type), std::nullopt, nullptr};
    entries_.at(kind.number()).emplace_back();
    put(kind, index, std::move(entry));
    return index;
}

void ProgramData::modify(DataKind kind, std::size_t index, void* data, std::size_t total,
                         MPI_Datatype type) {
    expect_entry(kind, index);
    put(kind, index, {data, total, type, describe(type), std::nullopt, nullptr});
}

namespace {

// If an element has too many pieces for this, it moves as a whole.
void move_the_slice_only(const DataEntry& entry) {
    try {
        entry.registration->move_only(entry.type);
    } catch (const InputError&) {
        return;
    }
}

}  // namespace

void ProgramData::put(DataKind kind, std::size_t index, DataEntry entry) {
    auto& place = entries_.at(kind.number()).at(index);
    place = {};  // the name is free again
    const auto name = name_of(kind, index);
    if (kind.replicated) {
        entry.registration = register_memory(job_, name, entry);
    } else {
        entry.array = register_block(job_, name, entry);
        entry.registration.emplace(JobAccess::registration(job_, name));
        if (entry.described.is_derived()) move_the_slice_only(entry);
        if (kind.constant) entry.registration->freeze();
    }
    place = std::move(entry);
    write_directory();
}

void ProgramData::expect_entry(DataKind kind, std::size_t index) const {
    if (index >= count(kind))
        throw UsageError("there is no data with index " + std::to_string(index) + ": " +
                         std::to_string(count(kind)) + " of this kind were added");
}

const DataEntry& ProgramData::entry(DataKind kind, std::size_t index) const {
    expect_entry(kind, index);
    return entries_of(kind).at(index);
}

void ProgramData::hand_over() {
    for (auto& entries : entries_)
        for (auto& entry : entries)
            if (entry.array) {
                entry.data = data::give_away_memory(entry.array->block);
                if (entry.array->spec.frozen) entry.registration->freeze();
            }
}

void ProgramData::write_directory() {
    std::ostringstream lines;
    for (const bool replicated : {false, true})
        for (const bool constant : {false, true})
            for (const auto& entry : entries_of({replicated, constant}))
                lines << replicated << ' ' << constant << ' ' << entry.total << ' '
                      << entry.described.bytes << ' ' << entry.described.name << '\n';
    directory_ = lines.str();
}

}  // namespace ductile::mam
