#include "mpi/dies_alone.hpp"

namespace ductile::mpi {

DiesAlone::DiesAlone() {
    ::getrlimit(RLIMIT_CORE, &core_before_);
    const rlimit none{0, core_before_.rlim_max};
    ::setrlimit(RLIMIT_CORE, &none);
}

DiesAlone::~DiesAlone() {
    ::setrlimit(RLIMIT_CORE, &core_before_);
}

}  // namespace ductile::mpi
