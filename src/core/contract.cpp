#include "core/contract.hpp"

#include <cstdio>
#include <cstdlib>

namespace ductile::core {

void end_for_contract(const char* kind, const char* condition, const char* file, int line) {
    std::fprintf(stderr, "%s:%d: this %s does not hold: %s\n", file, line, kind, condition);
    std::abort();
}

}  // namespace ductile::core
