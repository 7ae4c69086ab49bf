#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "broker/resize_request_wire.hpp"
#include "cli/argument_checks.hpp"
#include "cli/ask.hpp"
#include "cli/ask_broker.hpp"
#include "cli/command_line.hpp"
#include "core/host_share.hpp"
#include "core/size_range.hpp"
#include "plan/methods.hpp"
#include "plan/shrink_plan.hpp"
#include "wire/printable.hpp"

namespace ductile::cli {

namespace {

struct ResizeOptions {
    std::vector<std::string> words;
    std::vector<std::string> release, reclaim;
    broker::ResizeRequest request;
    bool hosts = false;
    int await = 0;
};

// The broker knows the hosts of the job, and reads the words with them.
void check_host_shares(const std::string& option, const std::vector<std::string>& words) {
    for (const auto& word : words) {
        if (word.empty() || word.front() == ':') throw InputError(option + " names no host");
        const auto read = core::read_host_share(word, core::is_no_host);
        if (!read || word.size() > wire::limits::host_share_bytes)
            throw InputError(option + " is '" + word +
                             "', not HOST or HOST:NUMBER, as in node02:2");
    }
}

/// The number of the accepted resize. 0: the broker did not send it.
core::TransactionId resize_in(const wire::Reply& reply) {
    const auto data = nlohmann::json::parse(reply.data, nullptr, false);
    if (!data.is_object()) return core::TransactionId{0};
    return core::TransactionId{data.value("resize", 0)};
}

/// Prints the broker's replies. Returns the exit code for the last reply.
int show_replies(const JobSocket& socket, const wire::Request& request, bool until_over,
                 core::TransactionId& accepted_as) {
    int code = exit_code::failed;
    // The first reply may come late, because a request may wait until another resize has ended. So
    // the limit is an hour, and with --wait a year.
    const auto patience = until_over ? std::chrono::hours(24 * 365) : std::chrono::hours(1);
    ask_broker(socket, request, patience, [&](const wire::Reply& reply) {
        const bool good =
            reply.kind == wire::ReplyKind::accepted || reply.kind == wire::ReplyKind::done;
        (good ? std::cout : std::cerr) << wire::printable(reply.text)
                                       << (reply.text.ends_with('\n') ? "" : "\n") << std::flush;
        code = exit_code_for(reply.kind);
        if (reply.kind == wire::ReplyKind::accepted) accepted_as = resize_in(reply);
        return !(until_over && reply.kind == wire::ReplyKind::accepted);
    });
    return code;
}

int ask_for_resize(const std::string& job, const wire::ResizeRequest& request) {
    const auto socket = find_job(job);
    core::TransactionId accepted_as{0};
    try {
        return show_replies(socket, request, request.wait, accepted_as);
    } catch (const SystemError& error) {
        if (accepted_as.value == 0) throw;
        throw SystemError(
            fmt::format("{}. After the takeover, this command shows the outcome of this resize: "
                        "ductile resize {} --await {}",
                        error.what(), socket.job, accepted_as.value));
    }
}

broker::MethodWish method_wish_named(const std::string& name) {
    const auto named = plan::method_named(name);
    return named ? broker::MethodWish{*named} : broker::CheapestStrategy{};
}

// An option for one of the named values. It stays unset if the user does not give the option.
template <class Wish, class ByName>
void add_wish(CLI::App& command, const std::string& option, Wish& wish,
              const std::vector<std::string>& names, ByName by_name, const std::string& help) {
    command
        .add_option_function<std::string>(
            option, [&wish, by_name](const std::string& name) { wish = by_name(name); }, help)
        ->check(one_of(names))
        ->type_name("");
}

// The common options of resize and renew.
void add_request_options(CLI::App& command, broker::ResizeRequest& request) {
    command.add_flag("--wait", request.wait, "wait until the resize is done or rolled back");
    command.add_flag("--dry-run", request.dry_run, "print the plan and change nothing");
    command.add_flag("--replace", request.replace, "replace the pending resize");
    command
        .add_option(
            "--switch-within", request.switch_within_s,
            "roll back if the program does not reach a resize point within this number of seconds "
            "after the resize has begun")
        ->check(number_from(0.001, 1e9));
    add_wish(command, "--start", request.start, names_of(plan::all_starts), plan::start_named,
             "how new ranks are started: by agents (launch), or by ranks of the job (collective, "
             "single, hypercube, diffusive)");
    add_wish(command, "--overlap", request.overlap, names_of(plan::all_overlaps),
             plan::overlap_named,
             "while new ranks start, the program continues (background) or waits (blocking)");
    add_wish(command, "--join", request.joining, names_of(plan::all_joinings), plan::joining_named,
             "new ranks and the program's ranks become one communicator at the resize point "
             "(point), or earlier, while the program computes (background)");
    add_wish(
        command, "--redistribution", request.redistribution, names_of(plan::executor_choices),
        plan::executor_named,
        "how the data of distributed arrays moves: by messages between pairs of ranks (p2p), by "
        "collective calls (alltoallv), by one-sided reads (rma-lock, rma-lockall); auto: the "
        "fastest way");
    add_wish(command, "--memory", request.memory, names_of(plan::all_memories), plan::memory_named,
             "keep: while data moves, a rank holds its old and its new parts; tight: little more "
             "than the larger of the two, and a failure while data moves ends the job");
}

int await_resize(const ResizeOptions& options) {
    if (options.words.size() > 1)
        throw InputError("usage: ductile resize [JOB] --await NUMBER, with no size");
    core::TransactionId known{options.await};
    const auto socket = find_job(options.words.empty() ? "" : options.words.front());
    return show_replies(socket, wire::AwaitRequest{known}, true, known);
}

int resize(ResizeOptions options) {
    if (options.await != 0) return await_resize(options);
    std::string job;
    check_host_shares("--release", options.release);
    check_host_shares("--reclaim", options.reclaim);
    const bool sized = options.release.empty();
    const std::size_t most = sized ? 2 : 1;
    if (options.words.size() > most || (sized && options.words.empty()))
        throw InputError(
            "usage: ductile resize [JOB] SIZE, or ductile resize [JOB] --release HOST[:RANKS]");
    if (sized) {
        options.request.goal = broker::NewSize{
            core::parse_size_range("SIZE", options.words.back(), wire::limits::ranks),
            options.hosts ? broker::SizeUnit::hosts : broker::SizeUnit::ranks};
        options.words.pop_back();
    }
    if (!options.words.empty()) job = options.words.front();
    if (options.hosts && !sized) throw InputError("--hosts goes with a size, not with --release");
    auto request = to_wire(options.request);
    request.release = options.release;
    request.reclaim = options.reclaim;
    return ask_for_resize(job, request);
}

/// The two positional arguments share one option, because JOB is optional. By default CLI11 shows
/// such an option as [JOB SIZE(0x)].
class ResizeFormatter final : public CLI::Formatter {
  public:
    [[nodiscard]] std::string make_option_usage(const CLI::Option* /*words*/) const override {
        return "[JOB] [SIZE]";
    }
};

}  // namespace

void add_resize_command(CLI::App& app, int& exit_code) {
    auto* command = app.add_subcommand("resize",
                                       "Change a job's size: ductile resize [JOB] SIZE\n"
                                       "Exit code: 0 accepted (with --wait: done), 1 the job "
                                       "ended or does not answer, 2 bad argument or no such job, "
                                       "3 refused, 4 rolled back");
    command->formatter(std::make_shared<ResizeFormatter>());
    auto options = std::make_shared<ResizeOptions>();
    command
        ->add_option("JOB SIZE", options->words,
                     "the job (optional if only one job runs), and its new size, or a range of "
                     "sizes such as 4:8. The job then gets the largest possible size in the range; "
                     "a job within the range does not shrink")
        ->expected(0, 2);
    command->add_flag("--hosts", options->hosts, "SIZE is a number of hosts");
    command
        ->add_option("--await", options->await,
                     "request no resize; wait until the resize with this number is done or rolled "
                     "back; if its request continues with a second resize, wait for that one, too")
        ->check(number_from(1, INT32_MAX))
        ->type_name("NUMBER");
    const auto add_hosts = [&](const char* name, std::vector<std::string>& words, const char* type,
                               const char* help) {
        command->add_option(name, words, help)
            ->type_name(type)
            ->allow_extra_args(false)
            ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    };
    add_hosts(
        "--release", options->release, "HOST[:RANKS]",
        "give this host back, instead of naming a size; with RANKS: remove only this number of "
        "ranks, the highest ranks on the host, and give their slots back");
    add_hosts("--reclaim", options->reclaim, "HOST[:SLOTS]",
              "with a SIZE: the job may again use the slots of this host that an earlier "
              "--release HOST:RANKS gave back");
    add_wish(*command, "--method", options->request.method, names_and_auto(plan::all_methods),
             method_wish_named,
             "merge: old ranks stay; baseline: all ranks are started afresh; auto: the method that "
             "costs the program the least time; with auto, Ductile also chooses the start, the "
             "overlap and the redistribution, unless you give them");
    add_wish(
        *command, "--shrink", options->request.shrink, names_of(plan::all_shrink_kinds),
        plan::shrink_kind_named,
        "what happens to leaving ranks: ts (default): they end, and hosts without ranks become "
        "free; park: they sleep until a later growth needs them");
    add_request_options(*command, options->request);
    command->callback([options, &exit_code] { exit_code = resize(*options); });
}

void add_renew_command(CLI::App& app, int& exit_code) {
    auto* command = app.add_subcommand("renew",
                                       "Replace a job's processes by new ones, at the same size\n"
                                       "Exit codes: the same as for resize");
    struct Options {
        std::string job;
        broker::ResizeRequest request;
    };
    auto options = std::make_shared<Options>();
    options->request.goal = broker::Renewal{};
    command->add_option("JOB", options->job, "the job (optional if only one job runs)");
    add_request_options(*command, options->request);
    command->callback([options, &exit_code] {
        exit_code = ask_for_resize(options->job, to_wire(options->request));
    });
}

void add_cancel_command(CLI::App& app, int& exit_code) {
    auto* command = app.add_subcommand("cancel", "Cancel the pending resize");
    auto job = std::make_shared<std::string>();
    command->add_option("JOB", *job, "the job (optional if only one job runs)");
    command->callback([job, &exit_code] {
        ask_broker(find_job(*job), wire::CancelRequest{}, std::chrono::seconds(10),
                   [&](const wire::Reply& reply) {
                       std::cerr << wire::printable(reply.text) << "\n";
                       exit_code = exit_code_for(reply.kind);
                       return true;
                   });
    });
}

void add_end_command(CLI::App& app, int& exit_code) {
    auto* command = app.add_subcommand("end", "End a job on all its hosts");
    auto job = std::make_shared<std::string>();
    command->add_option("JOB", *job, "the job (optional if only one job runs)");
    command->callback([job, &exit_code] {
        ask_broker(find_job(*job), wire::EndRequest{}, std::chrono::seconds(10),
                   [&](const wire::Reply& reply) {
                       std::cerr << wire::printable(reply.text) << "\n";
                       exit_code = exit_code_for(reply.kind);
                       return true;
                   });
    });
}

}  // namespace ductile::cli
