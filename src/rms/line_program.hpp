// A program of the user that talks with Ductile by lines on its standard streams.
#pragma once

#include <asio/io_context.hpp>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "rms/child_process.hpp"
#include "rms/output_tail.hpp"

namespace ductile::rms {

/// One run of the program. It gets the environment of this process. It is killed if it does not
/// read its input, that is, if more than 1 MiB waits for it.
class LineProgram {
  public:
    /// Each callback may destroy the LineProgram.
    struct Events {
        std::function<void(std::string_view)> on_output;  ///< pieces, as they arrive
        /// Called once, after the last output. `how`: "exit code 1: the end of its stderr".
        std::function<void(const std::string& how)> on_end;
    };

    /// `directory`: where the program runs; empty: where this process runs. Throws NotStarted.
    LineProgram(asio::io_context& io, std::vector<std::string> command,
                const std::string& directory, Events events);
    /// Closes the program's input, and waits at most two seconds for the end of the program. If the
    /// program still runs then, it is killed.
    ~LineProgram();
    LineProgram(const LineProgram&) = delete;
    LineProgram& operator=(const LineProgram&) = delete;

    /// `line`: without its newline.
    void send(const std::string& line);
    void kill();

  private:
    Events events_;
    OutputTail errors_;
    ChildProcess child_;
};

}  // namespace ductile::rms
