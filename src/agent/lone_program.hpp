// An MPI program that a rank's program has started by itself (`system("./other")`).
#pragma once

#include <sys/types.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "agent/pmi_port.hpp"
#include "pmi/host_world.hpp"

namespace ductile::agent {

/// It is the only rank of its MPI_COMM_WORLD, as if it had been started without a launcher. It can
/// neither spawn processes nor publish names. Its MPI_Abort ends only itself.
class LoneProgram : public std::enable_shared_from_this<LoneProgram> {
  public:
    struct Events {
        std::function<void(const std::string& what)> say;  ///< follows "an MPI program in rank 3 "
        std::function<void(LoneProgram&)> ended;
    };
    /// `process`: 0 if it is not known.
    LoneProgram(PmiProgram program, pid_t process, Events events);
    /// Greets the program.
    void start();
    void close() { program_.socket->close(); }

  private:
    void on_lines(const std::vector<std::string>& lines);
    void carry_out(const pmi::Outbox& effects);
    void kill();
    void end();
    void say_that_it_fails(const std::string& call, const std::string& why);

    PmiProgram program_;
    pid_t process_;
    Events events_;
    pmi::HostWorld world_;
};

}  // namespace ductile::agent
