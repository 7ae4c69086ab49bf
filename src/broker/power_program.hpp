// The power of the job's hosts, from a program of the user (docs/policies.md).
#pragma once

#include <asio/io_context.hpp>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "rms/bounded_lines.hpp"
#include "rms/line_program.hpp"

namespace ductile::broker {

/// Runs the program from the first watch() on. If it ends, or writes a wrong line, the next watch()
/// starts it again.
class PowerProgram {
  public:
    struct Events {
        /// A host of this name has drawn so much power since the last line about it.
        std::function<void(const std::string& host, double watts)> on_power;
        std::function<void(const std::string& why)> on_failure;
    };

    /// `directory`: where the program runs.
    PowerProgram(asio::io_context& io, std::vector<std::string> command, std::string directory,
                 Events events);

    /// The power of these hosts is wanted from now on. Tells the program if they are others than
    /// before.
    void watch(const std::vector<std::string>& hosts);

    static constexpr std::size_t max_line = 4096;

  private:
    void start();
    void on_output(std::string_view piece);
    void fail(const std::string& what);

    asio::io_context& io_;
    const std::vector<std::string> command_;
    const std::string directory_;
    const Events events_;
    std::unique_ptr<rms::LineProgram> program_;
    rms::BoundedLines lines_{max_line};
    std::vector<std::string> hosts_;  ///< that this run of the program was told
};

}  // namespace ductile::broker
