// Sends and receives bytes over a Unix socket, with descriptors (SCM_RIGHTS).
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "os/fd.hpp"

namespace ductile::os {

/// The most descriptors that one call sends or receives. The kernel would allow 253.
inline constexpr std::size_t max_passed = 8;

/// Like sendmsg() with MSG_NOSIGNAL and `flags`. The descriptors go with the first byte. Fails with
/// EINVAL for more than `max_passed` descriptors. Precondition: if there is a descriptor, there is
/// a byte.
ssize_t send_passing(int socket, std::string_view bytes, std::span<const int> descriptors,
                     int flags);

/// Like recvmsg() with MSG_DONTWAIT. Adds the received descriptors to `passed`; they are closed on
/// exec. If one call brings more than `max_passed`, the kernel closes the rest.
ssize_t receive_passed(int socket, std::span<char> buffer, std::vector<Fd>& passed);

}  // namespace ductile::os
