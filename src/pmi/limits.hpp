// Bounds of everything that a rank can make a PMI server store.
#pragma once

#include <cstddef>

namespace ductile::pmi::limits {

/// Hydra's limits. Ranks get them by `get_maxes`. They include C's terminating zero.
inline constexpr std::size_t kvsname_bytes = 256;
inline constexpr std::size_t key_bytes = 64;
inline constexpr std::size_t value_bytes = 1024;

inline constexpr std::size_t service_bytes = 256;  ///< name of a published service
inline constexpr std::size_t port_bytes = 1024;    ///< MPI_MAX_PORT_NAME of MPICH 5.0
inline constexpr std::size_t names = 4096;         ///< names published in a job at the same time

/// One line, without its newline. The longest lines are arguments of a program to spawn.
inline constexpr std::size_t line_bytes = 128u << 10;
inline constexpr std::size_t puts_per_rank = 1024;  ///< over the life of its program

/// Lines of a rank that wait for the answer to its open question.
inline constexpr std::size_t waiting_bytes = 2u << 20;

inline constexpr int ranks_per_spawn = 1 << 16;
inline constexpr int commands_per_spawn = 1024;        ///< of MPI_Comm_spawn_multiple
inline constexpr std::size_t info_key_bytes = 256;     ///< MPI_MAX_INFO_KEY of MPICH, and a zero
inline constexpr std::size_t info_value_bytes = 1025;  ///< MPI_MAX_INFO_VAL, and a zero
/// The most arguments of a command. Also the most info entries, and the most preput keys.
inline constexpr int fields_per_command = 8192;
inline constexpr std::size_t spawn_bytes = 2u << 20;  ///< all lines of one request

/// For the value of PMI_process_mapping. With 1,136 bytes, MPI_Init of MPICH 4.1.3 fails.
inline constexpr std::size_t mapping_bytes = 600;

}  // namespace ductile::pmi::limits
