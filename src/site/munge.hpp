// Authentication by munge, which each site with Slurm runs: by its commands.
#pragma once

#include <asio/io_context.hpp>
#include <cstdint>
#include <functional>
#include <string>
#include <variant>

#include "rms/command_environment.hpp"
#include "rms/command_queue.hpp"
#include "site/munge_output.hpp"

namespace ductile::site {

class Munge {
  public:
    struct Failed {
        std::string why;
    };
    using OnSealed = std::function<void(const std::variant<std::string, Failed>&)>;
    using OnOpened = std::function<void(const std::variant<Opened, Failed>&)>;

    /// `socket`: of the local munged; empty: the one that munge was built with.
    Munge(asio::io_context& io, std::string socket);

    /// Makes a credential that only `reader` can open. `on_sealed` and `on_opened` are
    /// called once, from the event loop, but not after this object is destroyed.
    void seal(std::string payload, std::uint32_t reader, OnSealed on_sealed);
    /// Opens a credential. This fails if it was opened here before, or is older than 5 minutes.
    void open(std::string credential, OnOpened on_opened);

  private:
    void run(const char* name, std::vector<std::string> options, std::string input,
             rms::CommandRunner::OnEnd on_end);

    std::string socket_;
    rms::Environment environment_;
    rms::CommandQueue queue_;
};

}  // namespace ductile::site
