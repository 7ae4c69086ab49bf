// A launcher for the agent's tests. Like that of Open MPI, it starts the ranks of its own host
// itself. On each other host it starts a daemon by the program that --remote names.
//   test_launcher --remote PROGRAM --host NAME:RANKS[,NAME:RANKS...] -n RANKS SHIM
//   test_launcher --daemon FIRST_RANK RANKS SHIM
// Each --also HOST asks for a daemon on a host that has no ranks.
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace {

struct Options {
    std::string remote, shim;
    std::vector<std::pair<std::string, int>> hosts;  // and how many ranks each has
    bool is_daemon = false;
    int first = 0;
};

std::vector<std::pair<std::string, int>> parse_hosts(const std::string& text) {
    std::vector<std::pair<std::string, int>> hosts;
    std::istringstream words(text);
    for (std::string word; std::getline(words, word, ',');) {
        const auto colon = word.rfind(':');
        hosts.emplace_back(word.substr(0, colon), std::stoi(word.substr(colon + 1)));
    }
    return hosts;
}

Options parse(const std::vector<std::string>& words) {
    Options options;
    std::vector<std::pair<std::string, int>> also;
    std::size_t at = 0;
    const auto next = [&] { return words.at(at++); };
    while (at < words.size()) {
        const auto word = next();
        if (word == "--remote") {
            options.remote = next();
        } else if (word == "--also") {
            also.emplace_back(next(), 0);
        } else if (word == "--host") {
            options.hosts = parse_hosts(next());
        } else if (word == "-n") {
            next();
        } else if (word == "--daemon") {
            options.is_daemon = true;
            options.first = std::stoi(next());
            options.hosts.emplace_back("", std::stoi(next()));
        } else {
            options.shim = word;
        }
    }
    options.hosts.insert(options.hosts.end(), also.begin(), also.end());
    return options;
}

void start(const std::vector<std::string>& words, int rank = -1) {
    if (::fork() != 0) return;
    if (rank >= 0) {
        ::setenv("PMIX_RANK", std::to_string(rank).c_str(), 1);
        ::setenv("OMPI_COMM_WORLD_RANK", std::to_string(rank).c_str(), 1);
    }
    std::vector<char*> argv;
    for (const auto& word : words) argv.push_back(const_cast<char*>(word.c_str()));
    argv.push_back(nullptr);
    ::execv(argv[0], argv.data());
    ::_exit(127);
}

// Writes the command of the daemon with quotes and blanks, as for a shell. Open MPI does this, too.
void start_daemon(const Options& options, const std::string& self, std::size_t host, int first) {
    const auto& [name, ranks] = options.hosts[host];
    start({options.remote, name, " " + self, "--daemon", "\"" + std::to_string(first) + "\"",
           std::to_string(ranks), options.shim});
}

}  // namespace

int main(int argc, char** argv) {
    const auto options = parse({argv + 1, argv + argc});
    int first = options.first;
    for (std::size_t host = 0; host < options.hosts.size(); ++host) {
        const int ranks = options.hosts[host].second;
        if (host > 0) start_daemon(options, argv[0], host, first);
        for (int rank = first; host == 0 && rank < first + ranks; ++rank)
            start({options.shim}, rank);
        first += ranks;
    }
    for (int status = 0; ::wait(&status) > 0;)
        if (!options.is_daemon && status != 0) {
            std::fprintf(stderr, "a daemon could not be started\n");
            return 1;
        }
    return 0;
}
