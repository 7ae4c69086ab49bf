// remote-launch: Open MPI's mpiexec runs this program instead of a remote shell (plm_rsh_agent), to
// start a proxy (a daemon of mpiexec) on another host. This program asks the agent of its own host
// for the proxy, and ends when the proxy ends. If this program ended earlier, mpiexec would take
// the launch for failed.
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "os/signals.hpp"
#include "wire/local_messages.hpp"
#include "wire/local_socket.hpp"

namespace {

using namespace ductile::wire;

constexpr auto agent_deadline = std::chrono::seconds(10);
constexpr auto between_looks = std::chrono::hours(1);

/// Removes the blanks before a word and the quotes around it. mpiexec writes the proxy's command
/// for a shell, which would remove them.
std::string without_shell(std::string_view word) {
    word.remove_prefix(std::min(word.size(), word.find_first_not_of(' ')));
    if (word.size() >= 2 && word.front() == '"' && word.back() == '"')
        word = word.substr(1, word.size() - 2);
    return std::string(word);
}

std::string variable(const char* name) {
    const char* text = std::getenv(name);
    if (text == nullptr)
        throw ductile::InputError(
            std::string(name) + " is not set: remote-launch is started by mpiexec, under an agent");
    return text;
}

GroupId group_of_mpiexec() {
    const auto text = variable("DUCTILE_GROUP");
    GroupId group;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), group.value);
    if (error != std::errc{} || end != text.data() + text.size())
        throw ductile::InputError("DUCTILE_GROUP is '" + text + "', not a number");
    return group;
}

int run(int argc, char** argv) {
    ductile::os::ignore_program_signals();
    const pid_t mpiexec = ::getppid();
    if (::prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || ::getppid() != mpiexec)
        throw ductile::SystemError("the mpiexec that started remote-launch is gone");
    RemoteLaunch wanted{group_of_mpiexec(), argv[1], {}};
    for (int i = 2; i < argc; ++i)
        if (auto word = without_shell(argv[i]); !word.empty())
            wanted.argv.push_back(std::move(word));
    auto agent = LocalSocket::connect(variable("DUCTILE_SOCKET"), agent_deadline);
    agent.send(to_frame(FromLocal{wanted}));
    // Waits until the proxy ends. This process also ends when the agent or mpiexec ends.
    for (;;) {
        const auto answer = agent.receive(between_looks);
        if (!answer) continue;
        return std::get<RemoteLaunchEnded>(decode<ToRemoteLaunch>(*answer)).code;
    }
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 3) {
        std::fputs("usage: remote-launch HOST PROXY [ARGUMENT...] (started by mpiexec)\n", stderr);
        return 2;
    }
    try {
        return run(argc, argv);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "ductile: cannot reach host %s for mpiexec: %s\n", argv[1],
                     error.what());
        return 1;
    }
}
