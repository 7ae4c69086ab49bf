#include "data/records_by_owner.hpp"

#include <utility>

#include "core/thrown.hpp"
#include "ductile/error.hpp"

namespace ductile::data {

namespace {

// The owner of each record. A function of the program may compute it.
std::vector<int> owners_of(const ArraySpec& spec, const detail::RecordsAccess& records, int ranks) {
    std::vector<int> owners;
    owners.reserve(static_cast<std::size_t>(records.count()));
    for (std::int64_t i = 0; i < records.count(); ++i) {
        const int owner = records.owner(i, ranks);
        if (owner < 0 || owner >= ranks)
            throw InputError("record " + std::to_string(i) + " of '" + spec.name +
                             "' belongs to rank " + std::to_string(owner) + " of " +
                             std::to_string(ranks));
        owners.push_back(owner);
    }
    return owners;
}

// Copies each record to the row of its owner.
Rows sorted(const ArraySpec& spec, const detail::RecordsAccess& records, int ranks) {
    const auto owners = owners_of(spec, records, ranks);
    std::vector<std::int64_t> lengths(static_cast<std::size_t>(ranks));
    for (std::size_t i = 0; i < owners.size(); ++i)
        lengths[static_cast<std::size_t>(owners[i])] += records.length(std::int64_t(i));
    auto rows = make_rows(spec, ranks, lengths);
    auto next = rows.starts;
    for (std::size_t i = 0; i < owners.size(); ++i) {
        auto& to = next[static_cast<std::size_t>(owners[i])];
        records.pack(std::int64_t(i), rows.values.get() + to * spec.element_bytes);
        to += records.length(std::int64_t(i));
    }
    return rows;
}

}  // namespace

Outgoing rows_between(ArraySpec spec, const PartCounts& counts) {
    spec.kind = Elements::records;
    spec.elements = static_cast<std::int64_t>(counts.before) * counts.after;
    spec.rule = "owners";
    Outgoing array;
    array.before = std::make_shared<const plan::Partition>(
        plan::Partition::cyclic(spec.elements, counts.before, 1));
    array.after = std::make_shared<const plan::Partition>(
        plan::BlockDistribution{spec.elements, counts.after});
    array.spec = std::move(spec);
    return array;
}

Outgoing records_by_owner(const ArraySpec& spec, const detail::RecordsAccess* records, int part,
                          const PartCounts& counts) {
    auto array = rows_between(spec, counts);
    if (part < 0 || records == nullptr) return array;
    try {
        array.old_part = make_block(array.spec, array.before, part);
        *array.old_part.rows = sorted(array.spec, *records, counts.after);
    } catch (...) {  // a function of the program may compute the owner
        throw InputError("the records '" + spec.name +
                         "' cannot be redistributed: " + core::text_of_thrown());
    }
    return array;
}

std::span<const std::byte> records_in(const ArraySpec& spec, const Block& part) {
    const auto bytes = part.rows->starts.back() * spec.element_bytes;
    return {part.rows->values.get(), static_cast<std::size_t>(bytes)};
}

}  // namespace ductile::data
