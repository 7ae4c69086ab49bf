// For a process that MPI_Comm_spawn has started: a part of MPI_Init, without MPI. The gate is
// where such a process asks its process manager for the port of the ranks that started it.
#pragma once

#include <unistd.h>

#include <string>

#include "pmi_client.hpp"

/// Returns when MPI would connect to the parents: the process manager has answered their
/// MPI_Comm_spawn, which now waits for this connection.
inline void pass_the_gate() {
    const int pmi = pmi_client::connect();
    if (pmi < 0) ::_exit(8);
    const auto ask = [pmi](const std::string& question) {
        if (!pmi_client::write_all(pmi, "cmd=" + question + "\n")) ::_exit(8);
        return pmi_client::read_line(pmi);
    };
    ask("init pmi_version=1 pmi_subversion=1");
    const auto answer = ask("get_my_kvsname");
    const auto name = answer.substr(answer.find("kvsname=") + 8);
    ask("get kvsname=" + name.substr(0, name.find(' ')) + " key=PARENT_ROOT_PORT_NAME");
}
