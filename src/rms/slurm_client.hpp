// Runs the commands of Slurm.
#pragma once

#include <asio/io_context.hpp>
#include <deque>
#include <functional>
#include <list>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "rms/command_environment.hpp"
#include "rms/command_queue.hpp"
#include "rms/slurm_output.hpp"

namespace ductile::rms {

class SlurmClient {
  public:
    using Words = std::vector<std::string>;
    /// `unknown`: there may be a job all the same.
    enum class NoAllocation { refused, unknown };
    using OnAllocated = std::function<void(const std::variant<SlurmJob, NoAllocation>&)>;

    SlurmClient();
    ~SlurmClient();
    SlurmClient(const SlurmClient&) = delete;
    SlurmClient& operator=(const SlurmClient&) = delete;
    /// Called once, before the first run() or post().
    void attach(asio::io_context& io);
    [[nodiscard]] asio::io_context& io() { return *io_; }
    /// Runs a command beside the event loop, for 20 s at most.
    void run(Words words, CommandRunner::OnEnd on_end);
    /// Runs salloc, and reports the job as soon as salloc names it. After 5 s the answer is
    /// `unknown`. Salloc itself may run longer: under PrologFlags=Alloc it sleeps for 3 s after the
    /// grant.
    void allocate(Words words, OnAllocated on_allocated);
    /// Calls `later` from the event loop.
    void post(std::function<void()> later);
    /// Kills the running commands. No callback is called any more. Do not call run() or allocate()
    /// after this.
    void stop();
    /// Runs a command without the event loop, for 5 s at most.
    CommandResult run_at_end(Words words);

  private:
    struct Allocation;
    struct Asked {
        Words words;
        OnAllocated on_allocated;
    };

    void allocate_next();
    void answer(Allocation& allocation, const std::variant<SlurmJob, NoAllocation>& job);

    asio::io_context* io_ = nullptr;
    Environment environment_;
    std::unique_ptr<CommandQueue> queue_;
    std::deque<Asked> asked_;  ///< for allocations that have not begun
    std::list<Allocation> allocations_;
};

/// The output of a command. `name`: the command, for messages. If the command failed, throws
/// SystemError with the last line of its stderr, or with how it ended. Also throws if the output
/// has more than 4 MiB.
const std::string& output_of(const std::string& name, const CommandResult& result);
/// Why a command has failed: what output_of() throws.
std::string reason_of(const std::string& name, const CommandResult& result);
/// Whether scontrol got an answer from slurmctld. If not, slurmctld may still carry the command
/// out.
[[nodiscard]] bool is_answer(const CommandResult& result);
/// As output_of(), but returns the first lines (4 MiB) of an output that is longer.
std::string first_lines_of(const std::string& name, const CommandResult& result);

}  // namespace ductile::rms
