#include "common/options.hpp"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>

namespace ductile::bench {

Options read_options(int argc, char** argv, const std::string& question,
                     const std::vector<OwnOption>& own) {
    Options options;
    CLI::App app(question);
    bool cluster = false;
    bool local = false;
    app.add_option("--json", options.json,
                   "also write the result to this file, as JSON (default: no file)")
        ->type_name("FILE");
    app.add_option("--repeat", options.repeat,
                   "samples of each side (default: 9; with fewer, the table says that it is no "
                   "measurement)")
        ->check(CLI::Range(1, 1000));
    auto* on_cluster = app.add_flag(
        "--cluster", cluster,
        "measure on virtual hosts of `ductile cluster` (default, if this user can make them)");
    app.add_flag(
           "--local", local,
           "measure on logical hosts: groups of processes of this machine (default otherwise)")
        ->excludes(on_cluster);
    for (const auto& option : own) app.add_option(option.flag, *option.value, option.help);
    app.add_flag("--inside", options.inside)->group("");
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        std::exit(app.exit(error) == 0 ? 0 : 2);
    }
    if (cluster) options.hosts = Hosts::cluster;
    if (local) options.hosts = Hosts::local;
    return options;
}

}  // namespace ductile::bench
