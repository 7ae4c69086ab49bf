#include "check/own_code.hpp"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <string_view>

namespace ductile::check {

namespace {

std::string_view file_name(std::string_view path) {
    return path.substr(path.rfind('/') + 1);
}

constexpr std::string_view library = "libductile.so";
// mca_: plugins that Open MPI loads.
constexpr std::array of_others{"libductile_check.so", "libmpi.so",  "libmpich.so",
                               "libmpi_abi.so",       "libpmpi.so", "mca_"};

}  // namespace

void OwnCode::read() {
    ranges_.clear();
    has_library_ = false;
    const auto look = [](dl_phdr_info* object, std::size_t /*size*/, void* self) {
        auto& own = *static_cast<OwnCode*>(self);
        const auto name = file_name(object->dlpi_name);
        const bool is_library = name.starts_with(library);
        if (!is_library && std::ranges::none_of(of_others, [name](std::string_view other) {
                return name.starts_with(other);
            }))
            return 0;
        own.has_library_ |= is_library;
        for (int i = 0; i < object->dlpi_phnum; ++i) {
            const auto& part = object->dlpi_phdr[i];
            const auto begin = object->dlpi_addr + part.p_vaddr;
            if (part.p_type == PT_LOAD && (part.p_flags & PF_X) != 0)
                own.ranges_.push_back({begin, begin + part.p_memsz});
        }
        return 0;
    };
    ::dl_iterate_phdr(look, this);
}

bool OwnCode::holds(const void* code) const {
    const auto at = reinterpret_cast<std::uintptr_t>(code);
    return std::ranges::any_of(
        ranges_, [at](const Range& range) { return at >= range.begin && at < range.end; });
}

// Names the byte before the return address: the return address itself may belong to the next source
// line.
std::string place_of(const void* code) {
    Dl_info info{};
    if (::dladdr(code, &info) == 0 || info.dli_fname == nullptr) return "an unknown place";
    const auto offset =
        reinterpret_cast<std::uintptr_t>(code) - reinterpret_cast<std::uintptr_t>(info.dli_fbase);
    std::array<char, 32> hex{};
    std::snprintf(hex.data(), hex.size(), "+0x%zx", static_cast<std::size_t>(offset - 1));
    return std::string(file_name(info.dli_fname)) + hex.data();
}

}  // namespace ductile::check
