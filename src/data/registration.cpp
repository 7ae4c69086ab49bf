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
std::int64_t array_elements(const ArrayState& array) {
    return array.spec.elements;
}

}  // namespace ductile::detail
