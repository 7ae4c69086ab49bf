// The limits of messages and their fields.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ductile::wire::limits {
inline constexpr std::size_t frame_bytes = 8u << 20;  ///< larger frames are refused unread
inline constexpr std::int64_t ranks = 1 << 20;
inline constexpr std::int64_t ids = std::int64_t{1} << 31;
inline constexpr std::size_t groups = 4096;
inline constexpr std::size_t ranges = 1u << 16;  ///< in a layout
inline constexpr std::size_t name_bytes = 256;
inline constexpr std::size_t host_share_bytes = name_bytes + 16;  ///< [NAME]:NUMBER
inline constexpr std::size_t text_bytes = 4096;
inline constexpr std::size_t port_bytes = 1024;
inline constexpr std::size_t proxy_arguments = 256;  ///< of a launcher's proxy
/// No system's exec accepts more (Linux: 6 MiB in all, 128 KiB for each entry). The limits of the
/// job's system are checked before the job starts (cli/exec_limits.hpp).
inline constexpr std::size_t environment_entries = 1u << 20;
inline constexpr std::size_t environment_bytes = 128u << 10;
inline constexpr double watts = 1e6;  ///< the power of a host
inline constexpr std::size_t data_bytes = 256u << 10;
}  // namespace ductile::wire::limits
