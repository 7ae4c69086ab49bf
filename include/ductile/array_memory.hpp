/// \file
/// Memory that the program chooses for the parts of a distributed array.
#pragma once

#include <cstddef>
#include <functional>

namespace ductile {

/// Kinds of devices whose memory an MPI may be able to access.
enum class Device { none, cuda, hip, level_zero };

/// Where the parts of an array lie: in huge pages, in pinned memory, on a device. A thread of
/// Ductile also calls these functions: while the program waits at a resize point, or, for a frozen
/// array, while the program computes. The functions must live longer than the Job.
///
/// If the processor or the MPI cannot access the memory, give both copy functions. The data then
/// moves by way of ordinary memory. During a resize each side also needs ordinary memory of the
/// size of its part. Ductile also uses `copy_in` to set a new array to zero. A copy that takes
/// longer than `--progress-within` counts as no progress. `--verify` sums the copied data, and does
/// not check the result of a copy. The program may pass the result of Distributed<T>::local() of
/// such an array to other code, but must not read its values.
struct ArrayMemory {
    /// Returns memory of `bytes` bytes (at least 1), aligned for the values of the array; null if
    /// there is none. At a resize the other ranks wait for this call, up to `--progress-within`.
    std::function<void*(std::size_t bytes)> allocate;
    /// Frees memory that `allocate` returned for the same number of bytes.
    std::function<void(void* memory, std::size_t bytes)> free;
    /// Copies from this memory to ordinary memory. Give both copy functions, or neither.
    std::function<void(void* to, const void* from, std::size_t bytes)> copy_out{};
    /// Copies from ordinary memory to this memory.
    std::function<void(void* to, const void* from, std::size_t bytes)> copy_in{};
    /// The device that has the memory. It needs both copy functions. Where the MPI says that it can
    /// access memory of this device (MPIX_GPU_query_support), MPI sends from this memory and
    /// receives in it, except with `--verify`. Elsewhere the data moves by way of ordinary memory.
    Device device = Device::none;
};

}  // namespace ductile
