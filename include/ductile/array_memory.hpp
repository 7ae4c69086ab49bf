/// \file
/// Memory of the program's choice for the parts of a distributed array.
#pragma once

#include <cstddef>
#include <functional>

namespace ductile {

/// Where the parts of an array lie: in huge pages, in pinned memory, on a device. The functions are
/// also called by a thread of Ductile's, while the program waits at a resize point or, for an array
/// that is frozen, computes. They outlive the Job.
///
/// Memory that the processor cannot touch, or the MPI not, has both copy functions. Then its data
/// move by way of ordinary memory, of which a part needs as much again during a resize, on each
/// side. An array that is made is set to zero by `copy_in`. A copy that takes longer than
/// `--progress-within` is taken for no progress, and `--verify` sums up what is copied, not what
/// the copy has made of it. Distributed<T>::local() of such an array is for the program to pass on,
/// not to read.
struct ArrayMemory {
    /// Memory of so many bytes, at least 1, aligned for the array's values; null: there is none.
    /// At a resize the others wait for it, for `--progress-within` at most.
    std::function<void*(std::size_t bytes)> allocate;
    /// Takes it back, with what it was asked for.
    std::function<void(void* memory, std::size_t bytes)> free;
    /// From this memory to ordinary memory, and back. Both or neither.
    std::function<void(void*to, const void*from, std::size_t bytes)> copy_out{}, copy_in{};
};

}  // namespace ductile
