#include "cli/demo/demo_command.hpp"

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

// Whether this process was started on the head of the cluster that it became before.
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
        "Exit code: 0 when all checks hold, 1 when not");
    auto parsed = std::make_shared<Parsed>();
    command->add_option("program", parsed->options.program, "what it shows: heat or mpdata")
        ->type_name("PROGRAM")
        ->check(CLI::IsMember({"heat", "mpdata"}))
        ->capture_default_str();
    command->add_option("--page", parsed->options.page, "the page that it writes")
        ->type_name("FILE")
        ->capture_default_str();
    command->add_flag("--no-page", parsed->no_page, "write no page");
    command->add_option("--events", parsed->options.events, "keep the event records")
        ->type_name("FILE");
    command->add_flag("--quick", parsed->options.quick, "a small grid, a second at each size");
    command->add_flag("--logical", parsed->options.logical,
                      "on logical hosts, also where virtual ones can be made");
    command->add_flag(on_the_head, parsed->on_head)->group("");  // for itself
    command->callback([parsed, &exit_code] {
        if (parsed->no_page) parsed->options.page.clear();
        expect_place_for("--page", parsed->options.page);
        expect_place_for("--events", parsed->options.events);
        exit_code = run_demo(parsed->options, parsed->on_head);
    });
}

}  // namespace ductile::cli
