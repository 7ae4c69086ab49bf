#include "cli/demo/demo_command.hpp"

#include <CLI/CLI.hpp>
#include <memory>

#include "cli/command_line.hpp"
#include "cli/demo/demo_options.hpp"
#include "cli/demo/show.hpp"
#include "cli/demo/stage.hpp"
#include "cli/output_place.hpp"

namespace ductile::cli {

namespace {

using demo::DemoOptions;
using demo::Hosts;
using demo::Stage;

constexpr int virtual_hosts = 4;

// With this option the demo starts a second `ductile demo` on the head of its cluster.
constexpr const char* on_the_head = "--on-the-head";

std::vector<std::string> words_for_head(const DemoOptions& options) {
    std::vector<std::string> words{on_the_head, options.program};
    if (options.quick) words.emplace_back("--quick");
    if (options.page.empty())
        words.emplace_back("--no-page");
    else
        words.insert(words.end(), {"--page", options.page});
    if (!options.events.empty()) words.insert(words.end(), {"--events", options.events});
    return words;
}

int run_demo(const DemoOptions& options, bool on_head) {
    if (on_head) return show(options, {Hosts::virtual_, ""});
    if (options.logical) return show(options, {Hosts::logical, ""});
    const auto objection = demo::objection_to_virtual_hosts();
    if (!objection.empty()) return show(options, {Hosts::logical, objection});
    demo::become_cluster(virtual_hosts, demo::script_for(options).ranks_per_host,
                         words_for_head(options));
}

}  // namespace

void add_demo_command(CLI::App& app, int& exit_code) {
    struct Parsed {
        DemoOptions options;
        bool on_head = false;
        bool no_page = false;
    };
    auto* command = app.add_subcommand(
        "demo",
        "Show a program that grows and shrinks while it runs, on virtual hosts of this machine\n"
        "Exit code: 0 all checks passed, 1 a check failed or the demo could not run");
    auto parsed = std::make_shared<Parsed>();
    command->add_option("program", parsed->options.program, "the program to show: heat or mpdata")
        ->type_name("PROGRAM")
        ->check(CLI::IsMember({"heat", "mpdata"}))
        ->capture_default_str();
    command->add_option("--page", parsed->options.page, "write the page to this file")
        ->type_name("FILE")
        ->capture_default_str();
    command->add_flag("--no-page", parsed->no_page, "do not write a page");
    command->add_option("--events", parsed->options.events, "keep the event records in this file")
        ->type_name("FILE");
    command->add_flag("--quick", parsed->options.quick,
                      "use a small grid, and one second for each size");
    command->add_flag("--logical", parsed->options.logical,
                      "use logical hosts, even if virtual hosts are possible");
    command->add_flag(on_the_head, parsed->on_head)->group("");  // for internal use
    command->callback([parsed, &exit_code] {
        if (parsed->no_page) parsed->options.page.clear();
        expect_place_for("--page", parsed->options.page);
        expect_place_for("--events", parsed->options.events);
        exit_code = run_demo(parsed->options, parsed->on_head);
    });
}

}  // namespace ductile::cli
