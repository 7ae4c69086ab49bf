// Notes between a benchmark and the program that it measures: files in a folder of both. And how
// the program's ranks sleep, without using a core, while the benchmark measures them.
#pragma once

#include <time.h>
#include <unistd.h>

#include <cstdio>
#include <string>

namespace ductile::bench {

/// Names of the notes.
inline constexpr const char* note_ready = "ready";  ///< the program computes; text: the job's id
inline constexpr const char* note_begin = "begin";  ///< the program is to grow
inline constexpr const char* note_end = "end";      ///< the program is to end

inline std::string note_of_newcomer(int index) {
    return "newcomer-" + std::to_string(index);
}

/// Writes a note. The note appears with its whole text, never with a part.
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

/// Sleeps until the note exists. If the note never comes, the benchmark ends the program.
inline void rest_until(const std::string& folder, const std::string& name) {
    while (!has_note(folder, name)) ::usleep(2000);
}

/// The processor time of this process since its fork, in seconds.
inline double own_processor_time_s() {
    timespec used{};
    ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    return static_cast<double>(used.tv_sec) + static_cast<double>(used.tv_nsec) * 1e-9;
}

}  // namespace ductile::bench
