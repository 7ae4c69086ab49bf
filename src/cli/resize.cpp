#include <fmt/format.h>

#include <charconv>
#include <iostream>
#include <memory>

#include "cli/ask.hpp"
#include "cli/ask_broker.hpp"

namespace ductile::cli {

namespace {

struct ResizeOptions {
    std::vector<std::string> words;
    wire::ResizeRequest request;
    bool hosts = false;
};

int parse_size(const std::string& text) {
    int size = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), size);
    if (read.ec != std::errc() || read.ptr != text.data() + text.size() || size < 1 ||
        size > wire::limits::ranks)
        throw InputError("'" + text + "' is not a size");
    return size;
}

int resize(ResizeOptions options) {
    std::string job;
    const bool sized = options.request.release.empty();
    const std::size_t most = sized ? 2 : 1;
    if (options.words.size() > most || (sized && options.words.empty()))
        throw InputError(
            "usage: ductile resize [JOB] SIZE, or ductile resize [JOB] --release HOST");
    if (sized) {
        options.request.size = parse_size(options.words.back());
        options.words.pop_back();
    }
    if (!options.words.empty()) job = options.words.front();
    if (options.hosts) options.request.unit = wire::SizeUnit::hosts;
    int code = exit_code::failed;
    const bool wait = options.request.wait;
    // A request may wait for its turn behind another resize, so with --wait there is no limit on
    // the first reply.
    const auto patience = wait ? std::chrono::hours(24 * 365) : std::chrono::hours(1);
    ask_broker(find_job(job), options.request, patience, [&](const wire::Reply& reply) {
        (reply.kind == wire::ReplyKind::accepted || reply.kind == wire::ReplyKind::done ? std::cout
                                                                                        : std::cerr)
            << reply.text << (reply.text.ends_with('\n') ? "" : "\n") << std::flush;
        code = exit_code_for(reply.kind);
        return !(wait && reply.kind == wire::ReplyKind::accepted);
    });
    return code;
}

}  // namespace

void add_resize_command(CLI::App& app, int& exit_code) {
    auto* command = app.add_subcommand("resize",
                                       "Change a job's size: ductile resize [JOB] RANKS\n"
                                       "Exit code: 0 accepted (with --wait: done), 1 the job "
                                       "ended, 2 bad argument, 3 refused, 4 rolled back");
    auto options = std::make_shared<ResizeOptions>();
    command
        ->add_option("JOB SIZE", options->words,
                     "the job (may be left out when only one runs) and its new size")
        ->expected(0, 2);
    command->add_flag("--hosts", options->hosts, "SIZE is in hosts");
    command->add_option("--release", options->request.release, "give these hosts back instead")
        ->type_name("HOST")
        ->allow_extra_args(false)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    command->add_flag("--wait", options->request.wait, "wait until it is done, or rolled back");
    command->add_flag("--dry-run", options->request.dry_run, "print the plan only");
    command->add_flag("--replace", options->request.replace,
                      "take the place of a resize that is pending");
    command
        ->add_option("--switch-within", options->request.switch_within_s,
                     "roll back if the program reaches no resize point within so many seconds")
        ->check(CLI::Range(0.001, 1e9));
    command->callback([options, &exit_code] { exit_code = resize(*options); });
}

void add_cancel_command(CLI::App& app, int& exit_code) {
    auto* command = app.add_subcommand("cancel", "Call off the resize that is pending");
    auto job = std::make_shared<std::string>();
    command->add_option("JOB", *job, "the job (may be left out when only one runs)");
    command->callback([job, &exit_code] {
        ask_broker(find_job(*job), wire::CancelRequest{}, std::chrono::seconds(10),
                   [&](const wire::Reply& reply) {
                       std::cerr << reply.text << "\n";
                       exit_code = exit_code_for(reply.kind);
                       return true;
                   });
    });
}

void add_end_command(CLI::App& app, int& exit_code) {
    auto* command = app.add_subcommand("end", "End a job on all its hosts");
    auto job = std::make_shared<std::string>();
    command->add_option("JOB", *job, "the job (may be left out when only one runs)");
    command->callback([job, &exit_code] {
        ask_broker(find_job(*job), wire::EndRequest{}, std::chrono::seconds(10),
                   [&](const wire::Reply& reply) {
                       std::cerr << reply.text << "\n";
                       exit_code = exit_code_for(reply.kind);
                       return true;
                   });
    });
}

}  // namespace ductile::cli
