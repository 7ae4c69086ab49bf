#include "groups/at_finalize.hpp"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <mutex>
#include <utility>
#include <vector>

namespace ductile::groups {

namespace {

std::mutex mutex;
std::vector<const std::function<void()>*>& calls() {
    static std::vector<const std::function<void()>*> all;
    return all;
}

}  // namespace

AtFinalize::AtFinalize(std::function<void()> call) : call_(std::move(call)) {
    const std::lock_guard lock(mutex);
    calls().push_back(&call_);
}

AtFinalize::~AtFinalize() {
    const std::lock_guard lock(mutex);
    std::erase(calls(), &call_);
}

void AtFinalize::call_all() noexcept {
    try {
        const std::lock_guard lock(mutex);
        for (const auto* call : calls()) (*call)();
    } catch (const std::exception& error) {
        std::fprintf(stderr, "ductile: at MPI_Finalize: %s\n", error.what());
    }
}

}  // namespace ductile::groups
