// The public handles' way to the registry.
#include "data/registry.hpp"
#include "ductile/distributed.hpp"

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
    registry_->arrays.erase(name_);
    registry_->replicated.erase(name_);
    registry_.reset();
}

std::byte* array_data(const ArrayState& array) {
    return array.block.memory.get();
}
std::int64_t array_offset(const ArrayState& array) {
    return array.block.offset;
}
std::int64_t array_count(const ArrayState& array) {
    return array.block.count;
}
Halo array_halo(const ArrayState& array) {
    return array.spec.halo;
}
std::int64_t array_elements(const ArrayState& array) {
    return array.spec.elements;
}

namespace {

void expect_element(bool is_one, const ArrayState& array, std::int64_t index, const char* of) {
    if (!is_one)
        throw InputError("array '" + array.spec.name + "' has no element " + std::to_string(index) +
                         of);
}

}  // namespace

std::vector<Range> array_ranges(const ArrayState& array) {
    return array.block.partition->ranges(array.block.part);
}

int array_owner(const ArrayState& array, std::int64_t element) {
    expect_element(element >= 0 && element < array.spec.elements, array, element, "");
    return array.block.partition->owner(element);
}

std::int64_t array_to_local(const ArrayState& array, std::int64_t element) {
    const auto& [memory, partition, part, offset, count] = array.block;
    expect_element(
        element >= 0 && element < array.spec.elements && partition->owner(element) == part, array,
        element, " on this rank");
    return partition->to_local(part, element);
}

std::int64_t array_to_global(const ArrayState& array, std::int64_t local) {
    expect_element(local >= 0 && local < array.block.count, array, local,
                   " in its order on this rank");
    return array.block.partition->to_global(array.block.part, local);
}

}  // namespace ductile::detail
