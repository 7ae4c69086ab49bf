// For a process that MPI_Comm_spawn has started: a part of MPI_Init, without MPI. The gate is
// where such a process asks its process manager for the port of the ranks that started it.
#pragma once

#include <unistd.h>

#include <cstdlib>
#include <string>

/// Returns when MPI would connect to the parents: the process manager has answered their
/// MPI_Comm_spawn, which now waits for this connection.
inline void pass_the_gate() {
    const char* socket = std::getenv("PMI_FD");
    if (socket == nullptr) ::_exit(8);
    const auto ask = [pmi = std::atoi(socket)](const std::string& question) {
        const auto line = "cmd=" + question + "\n";
        if (::write(pmi, line.data(), line.size()) < 0) ::_exit(8);
        std::string answer;
        for (char c = 0; ::read(pmi, &c, 1) == 1 && c != '\n';) answer += c;
        return answer;
    };
    ask("init pmi_version=1 pmi_subversion=1");
    const auto answer = ask("get_my_kvsname");
    const auto name = answer.substr(answer.find("kvsname=") + 8);
    ask("get kvsname=" + name.substr(0, name.find(' ')) + " key=PARENT_ROOT_PORT_NAME");
}
