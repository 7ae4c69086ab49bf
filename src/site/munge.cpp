#include "site/munge.hpp"

#include <chrono>
#include <cstddef>
#include <utility>
#include <vector>

#include "ductile/error.hpp"
#include "rms/slurm_client.hpp"
#include "rms/slurm_commands.hpp"

namespace ductile::site {

namespace {

constexpr std::size_t commands_at_a_time = 8;
constexpr auto deadline = std::chrono::seconds(5);
constexpr std::size_t max_output_bytes = std::size_t{2} << 20;

template <class Value, class Parse>
std::variant<Value, Munge::Failed> parsed(const char* name, const rms::CommandResult& result,
                                          Parse parse) {
    try {
        return parse(rms::output_of(name, result));
    } catch (const Error& error) {
        return Munge::Failed{error.what()};
    }
}

}  // namespace

Munge::Munge(asio::io_context& io, std::string socket)
    : socket_(std::move(socket)),
      environment_(rms::environment_for_slurm(rms::current_environment())),
      queue_(io, commands_at_a_time) {}

void Munge::run(const char* name, std::vector<std::string> options, std::string input,
                rms::CommandRunner::OnEnd on_end) {
    rms::CommandRunner::Command command;
    command.arguments = std::move(options);
    command.arguments.insert(command.arguments.begin(), name);
    if (!socket_.empty()) command.arguments.push_back("--socket=" + socket_);
    command.environment = environment_;
    command.input = std::move(input);
    command.deadline = deadline;
    command.max_output_bytes = max_output_bytes;
    queue_.run(std::move(command), std::move(on_end));
}

void Munge::seal(std::string payload, std::uint32_t reader, OnSealed on_sealed) {
    run("munge", {"--restrict-uid=" + std::to_string(reader)}, std::move(payload),
        [on_sealed = std::move(on_sealed)](const rms::CommandResult& result) {
            on_sealed(parsed<std::string>("munge", result, parse_sealed));
        });
}

void Munge::open(std::string credential, OnOpened on_opened) {
    run("unmunge", {"--numeric", "--keys=UID"}, std::move(credential),
        [on_opened = std::move(on_opened)](const rms::CommandResult& result) {
            on_opened(parsed<Opened>("unmunge", result, parse_opened));
        });
}

}  // namespace ductile::site
