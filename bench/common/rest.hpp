// Notes between a benchmark and the program that it watches, as files in a folder that both see;
// and how the program's ranks rest, without using a core, while the benchmark looks at them.
#pragma once

#include <time.h>
#include <unistd.h>

#include <cstdio>
#include <string>

namespace ductile::bench {

/// Names of the notes.
inline constexpr const char* note_ready = "ready";  ///< the program computes: the job's id, if any
inline constexpr const char* note_begin = "begin";  ///< it is to grow
inline constexpr const char* note_end = "end";      ///< it is to end

inline std::string note_of_newcomer(int index) {
    return "newcomer-" + std::to_string(index);
}

/// The note is there at once, with all of its text.
inline void leave_note(const std::string& folder, const std::string& name,
                       const std::string& text) {
    const auto path = folder + "/" + name;
    const auto unfinished = path + ".new";
    std::FILE* file = std::fopen(unfinished.c_str(), "w");
    if (file == nullptr) return;
    std::fputs(text.c_str(), file);
    std::fclose(file);
    std::rename(unfinished.c_str(), path.c_str());
}

inline bool has_note(const std::string& folder, const std::string& name) {
    return ::access((folder + "/" + name).c_str(), F_OK) == 0;
}

/// Asleep. Nobody waits longer than the benchmark lives: it ends its programs.
inline void rest_until(const std::string& folder, const std::string& name) {
    while (!has_note(folder, name)) ::usleep(2000);
}

/// Of this process, since it was forked.
inline double own_processor_time_s() {
    timespec used{};
    ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    return static_cast<double>(used.tv_sec) + static_cast<double>(used.tv_nsec) * 1e-9;
}

}  // namespace ductile::bench
