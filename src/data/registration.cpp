// Connects the public handles with the registry.
#include <algorithm>

#include "data/registry.hpp"
#include "ductile/error.hpp"
#include "ductile/part.hpp"

namespace ductile::detail {

Registration& Registration::operator=(Registration&& other) noexcept {
    if (this != &other) {
        end();
        registry_ = std::move(other.registry_);
        name_ = std::move(other.name_);
    }
    return *this;
}

Registration::~Registration() {
    end();
}

void Registration::end() noexcept {
    if (!registry_) return;
    registry_->frozen.erase(name_);
    registry_->arrays.erase(name_);
    registry_->records.erase(name_);
    registry_->replicated.erase(name_);
    registry_.reset();
}

void Registration::freeze() const {
    data::freeze(*registry_, name_);
}

void Registration::move_only(MPI_Datatype type) const {
    data::move_only(*registry_, name_, type);
}

std::byte* array_data(const ArrayState& array) {
    return data::memory_at(array.spec, array.block, 0);
}
Halo array_halo(const ArrayState& array) {
    return array.spec.halo;
}
std::span<const std::int64_t> array_starts(const ArrayState& array) {
    return array.block.rows->starts;
}
void set_row_lengths(ArrayState& array, std::span<const std::int64_t> lengths) {
    if (array.spec.frozen)
        throw UsageError("array '" + array.spec.name +
                         "' is frozen, so the lengths of its rows cannot change");
    auto rows = data::make_rows(array.spec, array.block.count, lengths);
    std::fill_n(rows.values.get(), rows.starts.back() * array.spec.element_bytes, std::byte{0});
    *array.block.rows = std::move(rows);
}

}  // namespace ductile::detail

namespace ductile {

namespace {

void expect_element(bool is_one, const detail::ArrayState& array, std::int64_t index,
                    const char* of) {
    if (!is_one)
        throw InputError("array '" + array.spec.name + "' has no element " + std::to_string(index) +
                         of);
}

}  // namespace

std::int64_t Part::offset() const {
    return array_->block.offset;
}
std::int64_t Part::count() const {
    return array_->block.count;
}
std::int64_t Part::global_size() const {
    return array_->spec.elements;
}
std::vector<Range> Part::ranges() const {
    return array_->block.partition->ranges(array_->block.part);
}

int Part::owner(std::int64_t element) const {
    expect_element(element >= 0 && element < global_size(), *array_, element, "");
    return array_->block.partition->owner(element);
}

std::int64_t Part::to_local(std::int64_t element) const {
    const auto& block = array_->block;
    expect_element(
        element >= 0 && element < global_size() && block.partition->owner(element) == block.part,
        *array_, element, " on this rank");
    return block.partition->to_local(block.part, element);
}

std::int64_t Part::to_global(std::int64_t local) const {
    expect_element(local >= 0 && local < count(), *array_, local, " (local index) on this rank");
    return array_->block.partition->to_global(array_->block.part, local);
}

}  // namespace ductile
