#include "rms/slurm_client.hpp"

#include <algorithm>
#include <array>
#include <asio/post.hpp>
#include <chrono>
#include <cstddef>
#include <iterator>
#include <memory>
#include <utility>

#include "ductile/error.hpp"
#include "os/job_timer.hpp"
#include "rms/bounded_lines.hpp"
#include "rms/child_process.hpp"
#include "rms/slurm_commands.hpp"
#include "wire/printable.hpp"

namespace ductile::rms {

namespace {

constexpr std::size_t commands_at_a_time = 4;
constexpr auto command_deadline = std::chrono::seconds(20);
constexpr auto end_deadline = std::chrono::seconds(5);
constexpr std::ptrdiff_t allocations_at_a_time = 8;
constexpr auto allocation_deadline = std::chrono::seconds(5);
constexpr std::size_t max_line = 1024;
constexpr std::size_t max_listing_bytes = std::size_t{4} << 20;
constexpr std::size_t most_shown = 300;

}  // namespace

/// One run of salloc. `on_allocated` is null when it was answered.
struct SlurmClient::Allocation {
    Allocation(asio::io_context& io, OnAllocated answer_to)
        : on_allocated(std::move(answer_to)), deadline(io) {}

    OnAllocated on_allocated;
    BoundedLines lines{max_line};
    os::JobTimer deadline;
    std::shared_ptr<bool> exists = std::make_shared<bool>(true);
    std::unique_ptr<ChildProcess> salloc;
};

SlurmClient::SlurmClient() : environment_(environment_for_slurm(current_environment())) {}

SlurmClient::~SlurmClient() = default;

void SlurmClient::stop() {
    queue_.reset();
    asked_.clear();
    allocations_.clear();
}

void SlurmClient::attach(asio::io_context& io) {
    io_ = &io;
    queue_ = std::make_unique<CommandQueue>(io, commands_at_a_time);
}

void SlurmClient::run(Words words, CommandRunner::OnEnd on_end) {
    CommandRunner::Command command;
    command.arguments = std::move(words);
    command.environment = environment_;
    command.deadline = command_deadline;
    command.max_output_bytes = max_listing_bytes;
    queue_->run(std::move(command), std::move(on_end));
}

void SlurmClient::allocate(Words words, OnAllocated on_allocated) {
    asked_.push_back({std::move(words), std::move(on_allocated)});
    allocate_next();
}

void SlurmClient::allocate_next() {
    const auto open = std::ranges::count_if(
        allocations_, [](const Allocation& one) { return one.on_allocated != nullptr; });
    if (asked_.empty() || open >= allocations_at_a_time) return;
    auto asked = std::move(asked_.front());
    asked_.pop_front();
    auto& one = allocations_.emplace_back(*io_, std::move(asked.on_allocated));
    const auto here = std::prev(allocations_.end());
    one.deadline.expires_after(allocation_deadline);
    // It may be due together with the end of salloc, which erases the allocation.
    one.deadline.async_wait(
        [this, here, exists = std::weak_ptr(one.exists)](const std::error_code& error) {
            if (!error && exists.lock()) answer(*here, NoAllocation::unknown);
        });
    try {
        one.salloc = std::make_unique<ChildProcess>(
            *io_, asked.words, environment_,
            ChildProcess::Events{[](std::string_view) {},
                                 [this, here](std::string_view piece) {
                                     for (const auto& line : here->lines.add(piece))
                                         if (const auto job = parse_granted(line.text.value_or("")))
                                             return answer(*here, *job);
                                 },
                                 [this, here](const ChildEnd& end) {
                                     answer(*here, end.signalled || end.code == 0
                                                       ? NoAllocation::unknown
                                                       : NoAllocation::refused);
                                     allocations_.erase(here);
                                 }});
        one.salloc->close_input();
    } catch (const SystemError&) {
        answer(*here, NoAllocation::refused);
        allocations_.erase(here);
    }
}

void SlurmClient::answer(Allocation& allocation, const std::variant<SlurmJob, NoAllocation>& job) {
    allocation.deadline.cancel();
    const auto on_allocated = std::exchange(allocation.on_allocated, nullptr);
    if (on_allocated) on_allocated(job);
    allocate_next();
}

void SlurmClient::post(std::function<void()> later) {
    asio::post(*io_, std::move(later));
}

CommandResult SlurmClient::run_at_end(Words words) {
    Command command;
    command.arguments = std::move(words);
    command.environment = environment_;
    command.deadline = end_deadline;
    return run_command(command);
}

bool is_answer(const CommandResult& result) {
    constexpr std::array<std::string_view, 3> no_answer{"timed out", "contact", "connect"};
    return result.ended == Ended::exited &&
           std::ranges::none_of(no_answer, [&result](std::string_view text) {
               return result.err.find(text) != std::string::npos;
           });
}

std::string reason_of(const std::string& name, const CommandResult& result) {
    try {
        static_cast<void>(output_of(name, result));
    } catch (const Error& error) {
        return error.what();
    }
    return {};
}

const std::string& output_of(const std::string& name, const CommandResult& result) {
    if (result.succeeded() && !result.output_dropped) return result.out;
    if (result.succeeded()) throw SystemError(name + " writes more than 4 MiB");
    auto said = result.err;
    said.erase(said.find_last_not_of(" \r\n") + 1);
    said.erase(0, said.rfind('\n') + 1);
    if (said.empty() || result.ended != Ended::exited) {
        Command command;
        command.deadline = command_deadline;
        said = name + ": " + how_it_ended(command, result);
    }
    throw SystemError(wire::printable(said.substr(0, most_shown)));
}

std::string first_lines_of(const std::string& name, const CommandResult& result) {
    auto lines = result;
    if (lines.output_dropped) lines.out.resize(lines.out.rfind('\n') + 1);
    lines.output_dropped = false;
    return output_of(name, lines);
}

}  // namespace ductile::rms
