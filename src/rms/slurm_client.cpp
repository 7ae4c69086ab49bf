#include "rms/slurm_client.hpp"

#include <asio/post.hpp>
#include <chrono>
#include <utility>

#include "ductile/error.hpp"
#include "rms/slurm_commands.hpp"
#include "wire/printable.hpp"

namespace ductile::rms {

namespace {

constexpr std::size_t commands_at_a_time = 4;
constexpr auto command_deadline = std::chrono::seconds(20);
constexpr auto end_deadline = std::chrono::seconds(5);
constexpr std::size_t max_listing_bytes = std::size_t{4} << 20;
constexpr std::size_t most_shown = 300;

}  // namespace

SlurmClient::SlurmClient() : environment_(environment_for_slurm(current_environment())) {}

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

void SlurmClient::post(std::function<void()> later) {
    asio::post(*io_, std::move(later));
}

void SlurmClient::run_at_end(Words words) {
    Command command;
    command.arguments = std::move(words);
    command.environment = environment_;
    command.deadline = end_deadline;
    static_cast<void>(run_command(command));
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
