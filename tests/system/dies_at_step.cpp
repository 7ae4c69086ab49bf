// Preloaded into a broker under test: kills the broker at a chosen step of its journal.
//   DIES_AT_STEP=STEP    the step: the whole text of its row in the column `step`
//   DIES_AT_COUNT=N      the Nth time that the step comes (1)
//   DIES_BEFORE_STEP=1   before the step is written; otherwise after that, before it is carried out
//   DIES_AFTER_SEND=1    while the step is carried out, when one message has been sent
#include <dlfcn.h>
#include <signal.h>
#include <sqlite3.h>
#include <sys/socket.h>

#include <cstdlib>
#include <cstring>
#include <string_view>

namespace {

bool dies_after_send = false;
bool is_wanted_step = false;  // whether the next step to be written is the chosen one

// Whether the statement writes a row (time, step, snapshot) of the journal. The step is its first
// parameter.
bool is_step(sqlite3_stmt* statement) {
    const char* sql = sqlite3_sql(statement);
    return sql != nullptr && std::strncmp(sql, "INSERT INTO steps", 17) == 0;
}

template <class Function>
Function next(const char* name) {
    return reinterpret_cast<Function>(::dlsym(RTLD_NEXT, name));
}

}  // namespace

extern "C" __attribute__((visibility("default"))) int sqlite3_bind_text(sqlite3_stmt* statement,
                                                                        int place, const char* text,
                                                                        int size,
                                                                        void (*release)(void*)) {
    static const auto real =
        next<int (*)(sqlite3_stmt*, int, const char*, int, void (*)(void*))>("sqlite3_bind_text");
    if (place == 1 && is_step(statement)) {
        const char* step = std::getenv("DIES_AT_STEP");
        is_wanted_step =
            step != nullptr && std::string_view(text, static_cast<std::size_t>(size)) == step;
    }
    return real(statement, place, text, size, release);
}

extern "C" __attribute__((visibility("default"))) int sqlite3_step(sqlite3_stmt* statement) {
    static const auto real = next<int (*)(sqlite3_stmt*)>("sqlite3_step");
    bool dies = is_step(statement) && is_wanted_step;
    static int seen = 0;
    const char* count = std::getenv("DIES_AT_COUNT");
    dies = dies && ++seen == (count != nullptr ? std::atoi(count) : 1);
    if (dies && std::getenv("DIES_BEFORE_STEP") != nullptr) ::raise(SIGKILL);
    const int result = real(statement);
    if (dies && std::getenv("DIES_AFTER_SEND") != nullptr) dies_after_send = true;
    if (dies && !dies_after_send) ::raise(SIGKILL);
    return result;
}

extern "C" __attribute__((visibility("default"))) ssize_t send(int to, const void* bytes,
                                                               size_t size, int flags) {
    static const auto real = next<ssize_t (*)(int, const void*, size_t, int)>("send");
    const auto sent = real(to, bytes, size, flags);
    if (dies_after_send) ::raise(SIGKILL);
    return sent;
}
