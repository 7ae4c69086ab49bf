#include "mpi/bounded_sends.hpp"

#include <cstdlib>
#include <cstring>

namespace ductile::mpi {

namespace {

bool over_tcp() {
    const char* provider = std::getenv("FI_PROVIDER");
    return provider != nullptr && std::strstr(provider, "tcp") != nullptr;
}

ControlVariable bound(int most_tries) {
    if (!over_tcp()) return {};
    return {"MPIR_CVAR_CH4_OFI_MAX_EAGAIN_RETRY", most_tries};
}

}  // namespace

BoundedSends::BoundedSends(int most_tries) : variable_(bound(most_tries)) {}

}  // namespace ductile::mpi
