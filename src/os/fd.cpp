#include "os/fd.hpp"

#include <unistd.h>

#include <utility>

namespace ductile::os {

Fd& Fd::operator=(Fd&& other) noexcept {
    if (this != &other) {
        reset();
        fd_ = other.release();
    }
    return *this;
}

int Fd::release() {
    return std::exchange(fd_, -1);
}

void Fd::reset() {
    if (fd_ >= 0) ::close(fd_);
    fd_ = -1;
}

}  // namespace ductile::os
