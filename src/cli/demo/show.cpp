#include "cli/demo/show.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "cli/command_line.hpp"
#include "cli/demo/files.hpp"
#include "cli/demo/host_processes.hpp"
#include "cli/demo/machine.hpp"
#include "cli/demo/narration.hpp"
#include "cli/demo/subject.hpp"
#include "cli/interrupt.hpp"
#include "cli/job_run.hpp"
#include "cli/private_folder.hpp"
#include "cli/report_command.hpp"
#include "ductile/error.hpp"
#include "report/charts.hpp"
#include "report/field_picture.hpp"

namespace ductile::cli::demo {

namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;
using Names = std::vector<std::string>;

constexpr auto job_within = 240s;   // the time limit for a job of the demo
constexpr auto start_within = 60s;  // until its ranks compute
constexpr auto resize_within = 60s;
constexpr auto draw_within = 60s;  // until there is a picture
constexpr auto end_within = 60s;   // from the request to the end of the program
constexpr int picture_columns = 36;

Names left_by(const report::Resize& resize) {
    const std::set<std::string> after(resize.hosts_after.begin(), resize.hosts_after.end());
    Names left;
    for (const auto& host : resize.hosts_before)
        if (!after.contains(host)) left.push_back(host);
    return left;
}

class Show {
  public:
    Show(const DemoOptions& options, const Stage& stage)
        : options_(options),
          stage_(stage),
          script_(script_for(options)),
          subject_(make_subject(options, script_, work_.file("input.toml"))) {}

    int play() {
        if (!options_.page.empty()) charting_library();  // throws now if it is missing
        introduce();
        compute_resized();
        compute_fixed();
        compare();
        append_machine(events());
        for (const auto& check : checks_) append_check(events(), check);
        if (!options_.events.empty())
            std::filesystem::copy_file(events(), options_.events,
                                       std::filesystem::copy_options::overwrite_existing);
        pictures_.push_back(resized_field());
        if (!options_.page.empty()) write_report(events(), pictures_, options_.page);
        return conclude();
    }

  private:
    [[nodiscard]] std::string events() const { return work_.file("events.jsonl"); }
    [[nodiscard]] std::string stop_file() const { return work_.file("stop"); }
    [[nodiscard]] std::string resized_field() const { return work_.file("resized.field"); }
    [[nodiscard]] std::string fixed_field() const { return work_.file("fixed.field"); }

    void introduce() const {
        const bool virtual_hosts = stage_.hosts == Hosts::virtual_;
        narration_.print(fmt::format("{}, on {} {} hosts with {} ranks each", subject_.what,
                                     most_hosts(), virtual_hosts ? "virtual" : "logical",
                                     script_.ranks_per_host));
        if (virtual_hosts)
            narration_.more(
                "each host has its own name, address and processes, on this one machine");
        else
            narration_.more("logical hosts are groups of processes of this one machine" +
                            (stage_.why_logical.empty()
                                 ? std::string()
                                 : "; virtual ones cannot be made: " + stage_.why_logical));
    }

    [[nodiscard]] int most_hosts() const {
        int most = 1;
        for (const auto& act : script_.acts) most = std::max(most, act.hosts);
        return most;
    }

    // `ductile run` with the arguments that both jobs have in common.
    [[nodiscard]] Names run_words(const Names& more) const {
        Names words{"run",
                    "-n",
                    std::to_string(script_.acts.front().hosts * script_.ranks_per_host),
                    "--shared-cores",
                    "yes",
                    "--orphan-limit",
                    "3"};
        for (auto& word : placement(stage_, most_hosts(), script_.ranks_per_host))
            words.push_back(word);
        words.insert(words.end(), more.begin(), more.end());
        return words;
    }
    [[nodiscard]] Names program_words(const std::string& result, const Names& more) const {
        Names words{"--"};
        words.insert(words.end(), subject_.words.begin(), subject_.words.end());
        words.insert(words.end(), {subject_.result_option, result});
        words.insert(words.end(), more.begin(), more.end());
        return words;
    }

    void compute_resized() {
        auto words = run_words({"--events", events()});
        for (auto& word :
             program_words(resized_field(), {"--steps", "1000000000", "--until", stop_file()}))
            words.push_back(word);
        JobRun job(words, job_within);
        wait_until(job, start_within, "the program to start",
                   [this] { return timeline_.running_at_s > 0; });
        for (const auto& act : script_.acts) {
            if (&act != &script_.acts.front()) resize(act.hosts);
            watch(job, act.seconds);
            if (subject_.draws_meanwhile) show_picture(job, act.hosts);
        }
        std::ofstream(stop_file()).flush();
        wait_until(job, end_within, "the program to end", [&] { return job.finished(); });
        job.expect_success();
        if (subject_.prints_checksum) resized_checksum_ = printed_checksum(job.result().out);
        narration_.print(
            fmt::format("the program has ended, after {} steps", field_step(resized_field())));
    }

    // Shows the last picture of the field from the program, and keeps it for the page.
    void show_picture(const JobRun& job, int hosts) {
        wait_until(job, draw_within, "a picture of the field",
                   [this] { return std::filesystem::exists(resized_field()); });
        const auto kept = work_.file(fmt::format("picture{}", pictures_.size()));
        std::filesystem::copy_file(resized_field(), kept);
        pictures_.push_back(kept);
        std::ifstream file(kept, std::ios::binary);
        const auto picture = report::read_field(file);
        narration_.more(fmt::format("the field after {} steps, on {} host{} now:", picture.step,
                                    hosts, hosts == 1 ? "" : "s"));
        for (const auto& line : report::field_in_characters(picture, picture_columns))
            narration_.more("|" + line + "|");
    }

    template <class Condition>
    void wait_until(const JobRun& job, std::chrono::seconds limit, const std::string& what,
                    const Condition& condition) {
        const auto deadline = Clock::now() + limit;
        while (update(), !condition()) {
            if (job.finished()) {
                job.expect_success();
                throw SystemError("the job has ended while the demo waited for " + what);
            }
            if (Clock::now() > deadline)
                throw TimeoutError(fmt::format("waited {} s for {}, in vain", limit.count(), what));
            interrupt_.sleep(0.05);
        }
    }

    // Reads all records again, because there are few.
    void update() {
        std::ifstream file(events());
        if (file && file.peek() != std::ifstream::traits_type::eof())
            timeline_ = report::read_timeline(file);
    }

    void watch(const JobRun& job, double seconds) {
        const auto end = Clock::now() + std::chrono::duration<double>(seconds);
        auto seen = timeline_.paces.size();
        while (Clock::now() < end) {
            interrupt_.sleep(std::min(1.0, seconds / 2));
            if (job.finished()) job.expect_success();
            update();
            auto recent = timeline_;
            recent.paces.erase(
                recent.paces.begin(),
                recent.paces.begin() + static_cast<std::ptrdiff_t>(seen > 0 ? seen - 1 : 0));
            seen = timeline_.paces.size();
            const auto times = report::iteration_times(recent);
            if (!times.empty())
                narration_.print(pace_line(times.back().ranks, times.back().seconds, hosts_now()));
        }
    }

    [[nodiscard]] Names hosts_now() const {
        if (timeline_.resizes.empty())
            return {stage_.hosts == Hosts::virtual_ ? "node01" : "local0"};
        return timeline_.resizes.back().hosts_after;
    }

    void resize(int hosts) {
        const auto done_before = timeline_.resizes.size();
        std::map<std::string, std::size_t> held;
        for (const auto& host : hosts_now()) held[host] = processes_on(host).size();
        narration_.print(
            fmt::format("$ ductile resize {} --hosts {} --wait", timeline_.job, hosts));
        const auto result =
            run_ductile({"resize", timeline_.job, "--hosts", std::to_string(hosts), "--wait"},
                        resize_within, interrupt_.fd());
        interrupt_.sleep(0);
        update();
        if (!result.succeeded() || timeline_.resizes.size() <= done_before)
            throw SystemError("the resize did not work: " + result.out + result.err);
        const auto& resize = timeline_.resizes.back();
        for (const auto& line : cost_lines(resize)) narration_.more(line);
        for (const auto& host : left_by(resize)) check_left(host, held[host]);
        if (stage_.hosts == Hosts::logical) check_agents(hosts);
    }

    [[nodiscard]] Names processes_on(const std::string& host) const {
        return host_processes(stage_, timeline_.job, host);
    }

    void check_left(const std::string& host, std::size_t held) {
        const auto found = processes_on(host);
        // If no process was found there before the resize either, the check proves nothing.
        const bool ok = found.empty() && held > 0;
        auto text =
            fmt::format("{} held {} processes of the job before the job left it, {} right after",
                        host, held, found.size());
        for (const auto& process : found) text += "\n" + process;
        note({"left host is free", ok, text});
    }

    void check_agents(int hosts) {
        const int agents = count_agents(events());
        note({"agents", agents == hosts,
              fmt::format("{} agents of the job run, for {} hosts", agents, hosts)});
    }

    void note(const report::Check& check) {
        narration_.more((check.ok ? "ok: " : "NOT OK: ") + check.text);
        checks_.push_back(check);
    }

    void compute_fixed() {
        const auto steps = field_step(resized_field());
        narration_.print(fmt::format("the same {} steps again, on {} ranks all the time", steps,
                                     script_.acts.front().hosts * script_.ranks_per_host));
        auto words = run_words({});
        for (auto& word : program_words(fixed_field(), {"--steps", std::to_string(steps)}))
            words.push_back(word);
        JobRun job(words, job_within);
        wait_until(job, job_within, "the run at fixed size", [&] { return job.finished(); });
        job.expect_success();
        if (subject_.prints_checksum) fixed_checksum_ = printed_checksum(job.result().out);
    }

    void compare() {
        if (subject_.prints_checksum)
            compare_checksums();
        else
            compare_fields();
    }

    void compare_checksums() {
        const bool same = resized_checksum_ == fixed_checksum_;
        note({"same result", same,
              same ? fmt::format("the checksums of both fields are equal: {}", fixed_checksum_)
                   : fmt::format("the fields differ: checksum {} resized, {} at fixed size",
                                 resized_checksum_, fixed_checksum_)});
    }

    void compare_fields() {
        const bool same = same_bytes(resized_field(), fixed_field());
        const auto one = sha256(resized_field());
        const auto other = sha256(fixed_field());
        note({"same result", same,
              same ? fmt::format("the fields of both runs are equal, byte for byte ({} bytes, "
                                 "SHA-256 {})",
                                 std::filesystem::file_size(fixed_field()), one)
                   : fmt::format("the fields differ: SHA-256 {} resized, {} at fixed size", one,
                                 other)});
    }

    [[nodiscard]] int conclude() const {
        const bool ok = std::all_of(checks_.begin(), checks_.end(),
                                    [](const report::Check& check) { return check.ok; });
        narration_.print(ok ? "all checks hold" : "NOT all checks hold");
        if (!options_.page.empty()) narration_.more("the page: " + options_.page);
        return ok ? exit_code::ok : exit_code::failed;
    }

    DemoOptions options_;
    Stage stage_;
    Script script_;
    Narration narration_;
    Interrupt interrupt_;
    PrivateFolder work_{"demo"};
    Subject subject_;
    Names pictures_;
    std::string resized_checksum_;
    std::string fixed_checksum_;
    report::Timeline timeline_;
    std::vector<report::Check> checks_;
};

}  // namespace

int show(const DemoOptions& options, const Stage& stage) {
    try {
        return Show(options, stage).play();
    } catch (const Interrupted& interrupted) {
        return 128 + interrupted.signal;
    }
}

}  // namespace ductile::cli::demo
