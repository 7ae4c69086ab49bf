#include "cli/command_line.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "agent/runtime_directory.hpp"
#include "ductile/error.hpp"
#include "wire/local_socket.hpp"

namespace ductile::cli {

std::vector<JobSocket> running_jobs() {
    std::vector<JobSocket> jobs;
    std::error_code ignored;
    for (const auto& entry :
         std::filesystem::directory_iterator(agent::runtime_parent(), ignored)) {
        const auto socket = entry.path() / "broker.sock";
        if (!std::filesystem::exists(socket, ignored)) continue;
        try {
            wire::LocalSocket::connect(socket, std::chrono::seconds(1));
        } catch (const Error&) {
            continue;  // left by a broker that was killed
        }
        jobs.push_back({entry.path().filename(), socket});
    }
    std::sort(jobs.begin(), jobs.end(), [](const auto& a, const auto& b) { return a.job < b.job; });
    return jobs;
}

JobSocket find_job(const std::string& job) {
    // A job that is named is asked itself; its broker may be too busy to answer a look around in
    // time.
    if (const std::string path = agent::runtime_parent() + "/" + job + "/broker.sock";
        !job.empty() && job.find('/') == std::string::npos && std::filesystem::exists(path))
        return {job, path};
    const auto jobs = running_jobs();
    std::string names;
    for (const auto& one : jobs) {
        if (one.job == job || (job.empty() && jobs.size() == 1)) return one;
        names += (names.empty() ? "" : ", ") + one.job;
    }
    if (jobs.empty())
        throw InputError((job.empty() ? std::string() : "there is no job '" + job + "': ") +
                         "no job of yours is running on this machine (looked in " +
                         agent::runtime_parent() + ")");
    if (job.empty()) throw InputError("several jobs are running, say which: " + names);
    throw InputError("there is no job '" + job + "'; running: " + names);
}

std::vector<std::string> split_words(const std::string& text) {
    std::vector<std::string> words;
    std::string word;
    bool inside = false;
    char quote = '\0';
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (quote != '\0') {
            if (c == quote)
                quote = '\0';
            else
                word += c;
        } else if (c == '\'' || c == '"') {
            quote = c;
            inside = true;
        } else if (c == '\\' && i + 1 < text.size()) {
            word += text[++i];
            inside = true;
        } else if (c == ' ' || c == '\t') {
            if (inside) words.push_back(std::exchange(word, {}));
            inside = false;
        } else {
            word += c;
            inside = true;
        }
    }
    if (quote != '\0') throw InputError("a quote is not closed in: " + text);
    if (inside) words.push_back(word);
    return words;
}

Split split_at_dashes(int argc, char** argv) {
    Split split;
    const std::vector<std::string> all(argv + 1, argv + argc);
    const auto dashes = std::find(all.begin(), all.end(), "--");
    split.before.assign(all.begin(), dashes);
    if (dashes != all.end()) split.after.assign(dashes + 1, all.end());
    return split;
}

}  // namespace ductile::cli
