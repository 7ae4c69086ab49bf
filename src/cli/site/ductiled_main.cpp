// The `ductiled` program.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <asio/io_context.hpp>
#include <asio/signal_set.hpp>
#include <csignal>
#include <cstdio>

#include "cli/build_info.hpp"
#include "cli/site_file.hpp"
#include "ductile/error.hpp"
#include "os/signals.hpp"
#include "site/site_server.hpp"
#include "wire/event_loop.hpp"
#include "wire/printable.hpp"

namespace {

using namespace ductile;

void log(const std::string& text) {
    fmt::print(stderr, "ductiled: {}\n", wire::printable(text));
}

int serve(const std::string& path) {
    const auto file = cli::read_site_file(path);
    if (file.address.user != ::geteuid())
        throw InputError(
            fmt::format("{}: user is {}, but ductiled was started by user {}: jobs "
                        "would not believe its answers",
                        path, file.address.user, ::geteuid()));
    os::unblock_signals();
    asio::io_context io;
    asio::signal_set signals(io, SIGINT, SIGTERM);
    signals.async_wait([&io](const std::error_code& error, int) {
        if (!error) io.stop();
    });
    const site::SiteServer server(io, file.settings, log);
    log(fmt::format("decides at port {} for all jobs of this Slurm: {}", file.settings.port,
                    policy::name_of(file.settings.sharing)));
    bool failed = false;
    wire::run_to_end(io, [&](const std::string& error) {
        log(error);
        failed = true;
        io.stop();
    });
    return failed ? 1 : 0;
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App app(
        "Decides when the malleable jobs of a site grow and shrink: those that run with --policy "
        "site");
    std::string path = cli::standard_site_file;
    app.add_option("--site", path, "the file of the site")
        ->capture_default_str()
        ->type_name("FILE");
    app.set_version_flag("--version", std::string("ductiled ") + cli::build_info::version);
    CLI11_PARSE(app, argc, argv);
    try {
        return serve(path);
    } catch (const InputError& error) {
        log(error.what());
        return 2;
    } catch (const std::exception& error) {
        log(error.what());
        return 1;
    }
}
