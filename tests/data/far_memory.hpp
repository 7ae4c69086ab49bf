// Memory that only its own copy functions can access, like the memory of a device.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstring>

#include "data/block.hpp"

namespace ductile::data {

class FarMemory {
  public:
    /// `in_use` counts the allocated bytes.
    static Home home(std::atomic<std::int64_t>& in_use) {
        return std::make_shared<const ArrayMemory>(memory(in_use));
    }
    static ArrayMemory memory(std::atomic<std::int64_t>& in_use) {
        ArrayMemory memory;
        memory.allocate = [&in_use](std::size_t bytes) -> void* {
            auto* made = ::mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
            if (made == MAP_FAILED) return nullptr;
            in_use += static_cast<std::int64_t>(bytes);
            return made;
        };
        memory.free = [&in_use](void* part, std::size_t bytes) {
            in_use -= static_cast<std::int64_t>(bytes);
            ::munmap(part, bytes);
        };
        memory.copy_out = [](void* to, const void* from, std::size_t bytes) {
            const Open open(from, bytes);
            std::memcpy(to, from, bytes);
        };
        memory.copy_in = [](void* to, const void* from, std::size_t bytes) {
            const Open open(to, bytes);
            std::memcpy(to, from, bytes);
        };
        return memory;
    }

  private:
    class Open {
      public:
        Open(const void* memory, std::size_t bytes) {
            const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
            const auto at = reinterpret_cast<std::uintptr_t>(memory);
            const auto begin = at / page * page;
            begin_ = static_cast<std::byte*>(const_cast<void*>(memory)) - (at - begin);
            bytes_ = at - begin + bytes;
            ::mprotect(begin_, bytes_, PROT_READ | PROT_WRITE);
        }
        ~Open() { ::mprotect(begin_, bytes_, PROT_NONE); }
        Open(const Open&) = delete;
        Open& operator=(const Open&) = delete;

      private:
        std::byte* begin_;
        std::size_t bytes_;
    };
};

}  // namespace ductile::data
