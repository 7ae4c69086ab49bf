#include "check/watch_memory.hpp"

#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include <csignal>
#include <map>
#include <mutex>
#include <utility>

#include "check/named_ranges.hpp"
#include "check/notify_user.hpp"
#include "check/own_code.hpp"
#include "data/checked_memory.hpp"

namespace ductile::check {

namespace {

struct Part {
    std::size_t bytes = 0;
    std::string array;
};

struct Watched {
    explicit Watched(std::function<std::string()> rank) : who(std::move(rank)) {}

    const std::function<std::string()> who;
    std::mutex mutex;
    std::map<void*, Part> parts;
    NamedRanges ended;   ///< old parts: reads and writes are forbidden
    NamedRanges frozen;  ///< writes are forbidden
    struct sigaction before {};
};

// Never destroyed: threads may use it when the process ends.
Watched* watched = nullptr;

const void* code_of(const void* context) {
    const auto& machine = static_cast<const ucontext_t*>(context)->uc_mcontext;
#if defined(__x86_64__)
    // NOLINTNEXTLINE(performance-no-int-to-ptr): a register is a number
    return reinterpret_cast<const void*>(machine.gregs[REG_RIP]);
#elif defined(__aarch64__)
    // NOLINTNEXTLINE(performance-no-int-to-ptr)
    return reinterpret_cast<const void*>(machine.pc);
#else
    static_cast<void>(machine);
    return nullptr;
#endif
}

// If the address is in a watched range, the fault is not inside malloc, which never touches this
// memory. So this handler may allocate memory. For any other address it restores the earlier
// handler. The fault then happens again, and reaches that handler.
void on_fault(int /*signal*/, siginfo_t* info, void* context) {
    const auto where = [&] {
        return " (at " + place_of(static_cast<const char*>(code_of(context)) + 1) + ")";
    };
    if (const auto* array = watched->ended.array_at(info->si_addr))
        notify_user(
            {watched->who() + " uses memory of array '" + array +
             "' that is not the array's any more: a span or pointer is void after a resize, and "
             "when the Job has ended. Take it from the array again after each `resized`" +
             where()});
    else if (const auto* frozen = watched->frozen.array_at(info->si_addr))
        notify_user(
            {watched->who() + " writes to array '" + frozen +
             "', which is frozen: it may be moving while the program computes. Freeze only an "
             "array to which no rank writes any more" +
             where()});
    else
        return void(::sigaction(SIGSEGV, &watched->before, nullptr));
    end_program();
}

std::size_t whole_pages(std::size_t bytes) {
    const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    return (bytes + page - 1) / page * page;
}

}  // namespace

void watch_memory(std::function<std::string()> who) {
    auto made = new Watched(std::move(who));
    struct sigaction action {};
    action.sa_sigaction = on_fault;
    action.sa_flags = SA_SIGINFO;
    watched = made;
    ::sigaction(SIGSEGV, &action, &made->before);
}

}  // namespace ductile::check

using ductile::check::watched;

extern "C" void* ductile_check_take_memory(std::size_t bytes, const char* array) {
    if (watched == nullptr) return nullptr;
    const auto whole = ductile::check::whole_pages(bytes);
    auto* memory =
        ::mmap(nullptr, whole, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return nullptr;
    const std::lock_guard lock(watched->mutex);
    watched->parts[memory] = {whole, array};
    return memory;
}

extern "C" void ductile_check_freeze_memory(void* memory) {
    if (watched == nullptr) return;
    const std::lock_guard lock(watched->mutex);
    const auto part = watched->parts.find(memory);
    if (part == watched->parts.end()) return;
    const auto& [bytes, array] = part->second;
    watched->frozen.remove(static_cast<std::byte*>(memory));
    watched->frozen.add({static_cast<std::byte*>(memory), bytes}, array.c_str());
    ::mprotect(memory, bytes, PROT_READ);
}

extern "C" void ductile_check_end_memory(void* memory) {
    const std::lock_guard lock(watched->mutex);
    const auto part = watched->parts.extract(memory);
    if (part.empty()) return;
    const auto& [bytes, array] = part.mapped();
    watched->frozen.remove(static_cast<std::byte*>(memory));
    ::madvise(memory, bytes, MADV_DONTNEED);
    ::mprotect(memory, bytes, PROT_NONE);
    const auto forgotten =
        watched->ended.add({static_cast<std::byte*>(memory), bytes}, array.c_str());
    if (forgotten) ::munmap(forgotten->begin, forgotten->bytes);
}
