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
    app.add_option("--json", options.json, "write the result to this file")->type_name("FILE");
    app.add_option("--repeat", options.repeat, "samples of each (9; fewer are no measurement)")
        ->check(CLI::Range(1, 1000));
    auto* on_cluster = app.add_flag("--cluster", cluster, "on virtual hosts (ductile cluster)");
    app.add_flag("--local", local, "on logical hosts of this machine")->excludes(on_cluster);
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
