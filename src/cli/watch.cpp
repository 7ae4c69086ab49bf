// `ductile watch`: shows a job's status repeatedly until the job has ended.
#include <fmt/format.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>

#include "cli/argument_checks.hpp"
#include "cli/ask.hpp"
#include "cli/ask_broker.hpp"
#include "cli/status_text.hpp"
#include "core/counted.hpp"
#include "os/proc.hpp"
#include "os/signals.hpp"
#include "wire/printable.hpp"

namespace ductile::cli {

namespace {

using Json = nlohmann::json;

constexpr std::size_t shown_resizes = 12;
constexpr const char* enter_screen = "\033[?1049h\033[?25l";
constexpr const char* leave_screen = "\033[?25h\033[?1049l";
constexpr const char* to_top = "\033[H";
constexpr const char* clear_line_end = "\033[K";
constexpr const char* clear_below = "\033[J";

volatile std::sig_atomic_t interrupted = 0;

/// While it lives, SIGINT and SIGTERM end the view, not the process, unless they are ignored.
class Interrupts {
  public:
    Interrupts() {
        struct sigaction stop {};
        stop.sa_handler = [](int signal) { interrupted = signal; };
        for (const int number : os::not_ignored(std::array{SIGINT, SIGTERM}))
            ::sigaction(number, &stop, &before_[number]);
    }
    Interrupts(const Interrupts&) = delete;
    Interrupts& operator=(const Interrupts&) = delete;
    ~Interrupts() {
        for (const auto& [number, action] : before_) ::sigaction(number, &action, nullptr);
    }

  private:
    std::map<int, struct sigaction> before_;
};

/// Uses the alternate screen of the terminal, and draws over it. The destructor restores the first
/// screen.
class Screen {
  public:
    Screen() { std::fputs(enter_screen, stdout); }
    Screen(const Screen&) = delete;
    Screen& operator=(const Screen&) = delete;
    ~Screen() {
        std::fputs(leave_screen, stdout);
        std::fflush(stdout);
    }
    void show(const std::string& text) {
        std::string frame = to_top;
        for (const char c : text) {
            if (c == '\n') frame += clear_line_end;
            frame += c;
        }
        std::fputs((frame + clear_below).c_str(), stdout);
        std::fflush(stdout);
    }
};

// The changing values as one line, for a log.
std::string line_of(const Json& s) {
    const auto hosts = std::count_if(s.at("hosts").begin(), s.at("hosts").end(),
                                     [](const Json& h) { return h.at("ranks") > 0; });
    auto line = fmt::format("{} on {}, {}", core::counted(s.at("ranks").get<int>(), "rank"),
                            core::counted(hosts, "host"), s.at("state").get<std::string>());
    if (s.contains("pending"))
        line += fmt::format(", {} -> {}: {}", s.at("pending").at("from").get<int>(),
                            s.at("pending").at("to").get<int>(),
                            s.at("pending").at("phase").get<std::string>());
    return line;
}

/// A status for display: `text` on a screen, else `line`.
struct View {
    std::string text, line;
    double running_s = 0;
};

View view_of(const Json& s) {
    return {status_text(s, shown_resizes), wire::printable(line_of(s)),
            s.at("running_s").get<double>()};
}

void sleep_for(double seconds);

/// Whether the directory is removed within 1 s. If a job ends normally, its broker removes the
/// directory shortly after its last message.
bool is_gone_soon(const std::filesystem::path& directory) {
    for (int i = 0; i < 20 && std::filesystem::exists(directory); ++i) sleep_for(0.05);
    return !std::filesystem::exists(directory);
}

void sleep_for(double seconds) {
    const auto whole = static_cast<time_t>(seconds);
    const timespec span{whole, static_cast<long>((seconds - static_cast<double>(whole)) * 1e9)};
    ::nanosleep(&span, nullptr);  // a signal ends it
}

void wait_until_continued(pid_t process) {
    while (interrupted == 0 && os::is_stopped(process)) sleep_for(0.25);
}

int watch(const std::string& name, double every) {
    const auto job = find_job(name);
    std::string last;
    const Interrupts interrupts;
    std::unique_ptr<Screen> screen;
    if (::isatty(STDOUT_FILENO) != 0) screen = std::make_unique<Screen>();
    for (; interrupted == 0; sleep_for(every)) {
        View view;
        try {
            view = with_status(job, view_of);
        } catch (const BrokerStopped& stopped) {
            if (screen)
                screen->show(fmt::format("{}\n", stopped.what()));
            else
                fmt::print("{}\n", stopped.what()), std::fflush(stdout);
            wait_until_continued(stopped.broker());
            continue;
        } catch (const SystemError& error) {  // its broker has ended or will end soon
            screen.reset();
            if (is_gone_soon(std::filesystem::path(job.path).parent_path()))
                fmt::print(stderr, "job {} has ended\n", job.job);
            else
                fmt::print(stderr, "job {} has ended, or runs on without its broker ({})\n",
                           job.job, wire::printable(error.what()));
            return exit_code::ok;
        }
        if (screen) {
            screen->show(view.text);
        } else if (view.line != last) {
            fmt::print("{:>8.1f} s  {}\n", view.running_s, view.line);
            std::fflush(stdout);
            last = std::move(view.line);
        }
    }
    return exit_code::ok;
}

}  // namespace

void add_watch_command(CLI::App& app, int& exit_code) {
    struct Options {
        std::string job;
        double every = 0.5;
    };
    auto* command = app.add_subcommand(
        "watch",
        "Show a job until it has ended, or until Ctrl-C; without a terminal, print a line for "
        "each change");
    auto options = std::make_shared<Options>();
    command->add_option("JOB", options->job, "the job (optional if only one job runs)");
    command->add_option("--every", options->every, "seconds between updates")
        ->check(number_from(0.05, 3600.0))
        ->capture_default_str();
    command->callback([options, &exit_code] { exit_code = watch(options->job, options->every); });
}

}  // namespace ductile::cli
