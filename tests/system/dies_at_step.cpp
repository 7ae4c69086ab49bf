// Preloaded into a broker under test: kills it with a step of its journal, so that each of them can
// be met.
//   DIES_AT_STEP=TEXT    the step
//   DIES_AT_COUNT=N      its Nth time (1)
//   DIES_BEFORE_STEP=1   before it is written; else right after, and so before it is done
#include <dlfcn.h>
#include <signal.h>
#include <sqlite3.h>

#include <cstdlib>
#include <cstring>

extern "C" __attribute__((visibility("default"))) int sqlite3_step(sqlite3_stmt* statement) {
    using Step = int (*)(sqlite3_stmt*);
    static const auto real = reinterpret_cast<Step>(::dlsym(RTLD_NEXT, "sqlite3_step"));
    const char* step = std::getenv("DIES_AT_STEP");
    const char* sql = sqlite3_sql(statement);
    bool dies = false;
    if (step != nullptr && sql != nullptr && std::strncmp(sql, "INSERT INTO steps", 17) == 0) {
        char* whole = sqlite3_expanded_sql(statement);
        dies = whole != nullptr && std::strstr(whole, step) != nullptr;
        sqlite3_free(whole);
    }
    static int seen = 0;
    const char* count = std::getenv("DIES_AT_COUNT");
    dies = dies && ++seen == (count != nullptr ? std::atoi(count) : 1);
    if (dies && std::getenv("DIES_BEFORE_STEP") != nullptr) ::raise(SIGKILL);
    const int result = real(statement);
    if (dies) ::raise(SIGKILL);
    return result;
}
