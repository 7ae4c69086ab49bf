#include "cli/calibrate.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <array>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "broker/start_refusals.hpp"
#include "cli/argument_checks.hpp"
#include "cli/command_line.hpp"
#include "cli/costs_file.hpp"
#include "cli/interrupt.hpp"
#include "cli/job_run.hpp"
#include "cli/mpi_choice.hpp"
#include "cli/output_place.hpp"
#include "cli/private_folder.hpp"
#include "ductile/error.hpp"
#include "plan/calibration.hpp"
#include "plan/text_table.hpp"
#include "rms/command.hpp"
#include "rms/self.hpp"

namespace ductile::cli {

namespace {

// `ductile calibrate --help` ends with this text.
constexpr const char* columns_text =
    "The first table is for a growth from 1 host to all hosts, without the move of data:\n"
    "  spawn ms    time to start the new ranks\n"
    "  connect ms  time to connect the new groups with each other and with the program\n"
    "  total ms    time of the whole resize\n"
    "  lost ms     time that the program loses\n"
    "  omega       how many times as long an iteration takes while new ranks start\n"
    "The second table is for the move of data in this growth: the time if each old rank holds\n"
    "1 MiB, and the additional time for each further MiB on each old rank.";

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;
using Json = nlohmann::json;
using Words = std::vector<std::string>;

constexpr auto job_within = 600s;
constexpr auto start_within = 60s;
constexpr auto resize_within = 60s;
constexpr double between_resizes_s = 0.15;   // for undisturbed iterations
constexpr std::array data_mebibytes{1, 64};  // two sizes, to find the cost of each MiB

struct Options {
    int local = 4, per_host = 1, rounds = 3;
    std::string hosts, remote_shell, output, mpi;
    bool json = false;
};

// The event records of a job.
class EventFile {
  public:
    [[nodiscard]] std::string path() const { return folder_.file("events.jsonl"); }
    [[nodiscard]] std::vector<Json> read() const {
        std::vector<Json> records;
        std::ifstream file(path());
        for (std::string line; std::getline(file, line);) {
            auto record = Json::parse(line, nullptr, false);
            if (record.is_object()) records.push_back(std::move(record));
        }
        return records;
    }

  private:
    PrivateFolder folder_{"calibrate"};
};

// The omegas (plan::StartCost) that rank 0 of the calibration program printed: one after each
// resize, in order.
std::vector<double> omegas_in(const std::string& output) {
    std::vector<double> omegas;
    std::istringstream lines(output);
    for (std::string line; std::getline(lines, line);) {
        int size = 0;
        double omega = 0;
        if (std::sscanf(line.c_str(), "resized %d omega %lf", &size, &omega) == 2)
            omegas.push_back(omega);
    }
    return omegas;
}

bool is_done_resize(const Json& record) {
    return record.value("event", "") == "resize" && record.value("outcome", "") == "done";
}

// nullopt if the record is not that of a resize that was done.
std::optional<plan::MeasuredResize> measured_in(const Json& record,
                                                const plan::Strategy& strategy) {
    if (!is_done_resize(record)) return std::nullopt;
    plan::MeasuredResize one;
    one.strategy = strategy;
    one.shape = {record.at("from"), record.at("to"), record.at("started"), record.at("new_groups"),
                 record.at("steps")};
    one.switch_s = record.at("vote_s").get<double>() + record.at("join_s").get<double>() +
                   record.at("commit_s").get<double>();
    if (one.shape.started == 0) return one;
    // connect_s includes the rounds in which the new groups connect, and joining the leaders.
    const auto& at = record.at("since_accepted_s");
    const double launched = at.at("launched"), bridged = at.at("bridged");
    const double ready = std::clamp(at.value("ready", bridged), launched, bridged);
    one.spawn_s = ready - launched;
    one.connect_s = bridged - ready;
    return one;
}

class Calibration {
  public:
    explicit Calibration(const Options& options) : options_(options) {}

    /// Measures all starts with both overlaps, and all ways to move data, that this MPI allows.
    plan::CostModel run(const mpi::Capabilities& mpi) {
        for (const auto start : plan::all_starts)
            for (const auto overlap : plan::all_overlaps)
                if (!broker::why_not(start, mpi)) measure({plan::Method::merge, start, overlap});
        if (measured_.empty()) throw SystemError("no resize could be measured");
        for (const int mebibytes : data_mebibytes) measure_moves(mebibytes, mpi);
        auto model = plan::model_of(measured_);
        model.moves = plan::costs_of_moves(moves_);
        return model;
    }

  private:
    [[nodiscard]] Words run_words(const plan::Strategy& strategy, const std::string& events,
                                  int mebibytes = 0) const {
        Words words{"run",
                    "-n",
                    std::to_string(options_.per_host),
                    "--ranks-per-host",
                    std::to_string(options_.per_host),
                    "--method",
                    "merge",
                    "--start",
                    std::string(plan::to_string(strategy.start)),
                    "--overlap",
                    std::string(plan::to_string(strategy.overlap)),
                    "--events",
                    events,
                    "--shared-cores",
                    "yes"};
        if (options_.hosts.empty())
            words.push_back("--local=" + std::to_string(options_.local));
        else
            words.insert(words.end(), {"--hosts", options_.hosts});
        if (!options_.mpi.empty()) words.insert(words.end(), {"--mpi", options_.mpi});
        if (!options_.remote_shell.empty())
            words.insert(words.end(), {"--remote-shell", options_.remote_shell});
        words.insert(words.end(), {"--", rms::companion("calibration-program"), "2000"});
        if (mebibytes > 0) words.push_back(std::to_string(mebibytes));
        return words;
    }

    void measure(const plan::Strategy& strategy) {
        const EventFile events;
        JobRun job(run_words(strategy, events.path()), job_within);
        const auto id = wait_for_job(job, events);
        const bool whole = resize_to_all_sizes(id, strategy);
        end(job, id);
        if (whole) take(strategy, events.read(), omegas_in(job.result().out));
    }

    // One job for all executors, because each resize can have another executor.
    void measure_moves(int mebibytes, const mpi::Capabilities& mpi) {
        const EventFile events;
        plan::Strategy strategy;
        strategy.start = broker::standard_start(mpi);
        JobRun job(run_words(strategy, events.path(), mebibytes), job_within);
        const auto id = wait_for_job(job, events);
        for (const auto executor : plan::all_executors)
            if (!job.finished() && !broker::why_not(executor, mpi)) {
                strategy.redistribution = executor;
                resize_to_all_sizes(id, strategy);
            }
        if (!job.finished()) end(job, id);
        for (const auto& record : events.read()) {
            if (!is_done_resize(record)) continue;
            const auto executor =
                plan::executor_named(record.at("redistribution").get<std::string>());
            const double bytes = static_cast<double>(mebibytes) * (1 << 20);
            moves_.push_back({executor.value(),
                              plan::move_shape(record.at("from"), record.at("to"), bytes),
                              record.at("redistribute_s")});
        }
        std::cerr << fmt::format("moves of {} MiB are measured; {} measurements so far\n",
                                 mebibytes, moves_.size());
    }

    // Returns false at the first resize that fails.
    bool resize_to_all_sizes(const std::string& id, const plan::Strategy& strategy) const {
        for (int round = 0; round < options_.rounds; ++round)
            for (int hosts = 2; hosts <= options_.local; ++hosts)
                if (!resize(id, hosts, strategy) || !resize(id, 1, strategy)) return false;
        return true;
    }

    std::string wait_for_job(const JobRun& job, const EventFile& events) const {
        const auto deadline = Clock::now() + start_within;
        for (;; interrupt_.sleep(0.05)) {
            if (job.finished()) {
                job.expect_success();
                throw SystemError("the calibration program has ended by itself");
            }
            if (Clock::now() > deadline)
                throw TimeoutError("the calibration program did not start in time");
            std::string id;
            for (const auto& record : events.read()) {
                if (record.value("event", "") == "job_started") id = record.value("job", "");
                if (record.value("event", "") == "job_running") return id;
            }
        }
    }

    bool resize(const std::string& id, int hosts, const plan::Strategy& strategy) const {
        interrupt_.sleep(between_resizes_s);
        const auto size = std::to_string(hosts * options_.per_host);
        const auto done =
            run_ductile({"resize", id, size, "--method", "merge", "--redistribution",
                         std::string(plan::to_string(strategy.redistribution)), "--wait"},
                        resize_within, interrupt_.fd());
        if (Interrupt::signal() != 0) throw Interrupted{Interrupt::signal()};
        if (done.succeeded()) return true;
        std::cerr << fmt::format("ductile: {} {} {} is left out: {}",
                                 plan::to_string(strategy.start), plan::to_string(strategy.overlap),
                                 plan::to_string(strategy.redistribution),
                                 done.err.empty() ? "the resize did not end in time\n" : done.err);
        return false;
    }

    void end(const JobRun& job, const std::string& id) const {
        run_ductile({"end", id}, 20s, -1);
        const auto deadline = Clock::now() + 20s;
        while (!job.finished() && Clock::now() < deadline) interrupt_.sleep(0.02);
        if (!job.finished()) throw TimeoutError("the calibration program did not end in time");
    }

    void take(const plan::Strategy& strategy, const std::vector<Json>& records,
              const std::vector<double>& omegas) {
        std::size_t resizes = 0;
        for (const auto& record : records) {
            auto one = measured_in(record, strategy);
            if (!one) continue;
            // Rank 0 stays in all these resizes, so it has printed an omega for each.
            const auto at = resizes++;
            if (one->shape.started > 0 && strategy.overlap == plan::Overlap::background &&
                at < omegas.size())
                one->omega = omegas[at];
            measured_.push_back(*one);
        }
        std::cerr << fmt::format("{} {}: {} resizes\n", plan::to_string(strategy.start),
                                 plan::to_string(strategy.overlap), resizes);
    }

    Options options_;
    Interrupt interrupt_;
    std::vector<plan::MeasuredResize> measured_;
    std::vector<plan::MeasuredMove> moves_;
};

std::string moves_table(const plan::CostModel& model, const Options& options) {
    using plan::Align;
    plan::Table table({{"data move by"},
                       {"ms for 1 MiB", Align::right},
                       {"ms for each further MiB", Align::right}});
    for (const auto& cost : model.moves) {
        const double first = cost.at({options.per_host * options.local, 1});
        table.add({std::string(plan::to_string(cost.executor)), fmt::format("{:.2f}", first * 1e3),
                   fmt::format("{:.2f}", cost.per_mebibyte * 1e3)});
    }
    return table.text();
}

std::string table_of(const plan::CostModel& model, const Options& options) {
    using plan::Align;
    plan::Table table({{"start"},
                       {"overlap"},
                       {"spawn ms", Align::right},
                       {"connect ms", Align::right},
                       {"total ms", Align::right},
                       {"lost ms", Align::right},
                       {"omega", Align::right}});
    const int more = options.local - 1;
    for (const auto& [strategy, cost] : model.starts) {
        const bool world = !plan::starts_each_host(strategy.first);
        const plan::ResizeShape shape{options.per_host, options.per_host * options.local,
                                      options.per_host * more, world ? 1 : more, 1};
        const auto said =
            *plan::cost_of(model, {plan::Method::merge, strategy.first, strategy.second}, shape);
        const auto ms = [](double s) { return fmt::format("{:.1f}", s * 1e3); };
        table.add({std::string(plan::to_string(strategy.first)),
                   std::string(plan::to_string(strategy.second)), ms(said.spawn_s),
                   ms(said.connect_s), ms(said.total_s), ms(said.lost_s),
                   fmt::format("{:.2f}", cost.omega)});
    }
    return fmt::format(
               "expected cost of a growth from 1 to {} hosts (hypercube, diffusive: in one "
               "step)\n",
               options.local) +
           table.text() + moves_table(model, options);
}

int calibrate(const Options& options) {
    expect_place_for("--output", options.output, MissingFolder::made);
    const auto mpi = choose_mpi(options.mpi).capabilities;
    try {
        const auto model = Calibration(options).run(mpi);
        const auto path = options.output.empty() ? costs_path() : options.output;
        write_costs(path, model, mpi);
        if (options.json)
            std::cout << to_json(model, mpi).dump(2) << "\n";
        else
            std::cout << table_of(model, options) << "written to " << path << "\n";
        return exit_code::ok;
    } catch (const Interrupted& interrupted) {
        std::cerr << "ductile: interrupted; nothing was written\n";
        return 128 + interrupted.signal;
    }
}

}  // namespace

void add_calibrate_command(CLI::App& app, int& exit_code) {
    auto* command = app.add_subcommand(
        "calibrate",
        "Measure the cost of each kind of resize, on this machine or on hosts that you name, for "
        "--method auto\n"
        "Exit code: 0 costs written, 1 measuring or writing failed, 2 bad argument, 128 + signal "
        "interrupted");
    auto options = std::make_shared<Options>();
    command
        ->add_option("--local", options->local,
                     "number of logical hosts; with --hosts: number of hosts of the file to use")
        ->check(number_from(2, 64))
        ->capture_default_str();
    command
        ->add_option("--hosts", options->hosts,
                     "file of hosts, one `NAME [slots=N]` or NAME:N on each line")
        ->type_name("FILE")
        ->check([](const std::string& file) {
            return file == "-" ? "the hosts need a file: each of several jobs reads it" : "";
        });
    command->add_option("--remote-shell", options->remote_shell,
                        "how to start a command on a host, as for `ductile run`");
    command->add_option("--ranks-per-host", options->per_host, "ranks on each host")
        ->check(number_from(1, 4096))
        ->capture_default_str();
    command->add_option("--rounds", options->rounds, "measurements of each size")
        ->check(number_from(1, 1000))
        ->capture_default_str();
    command->add_option("--mpi", options->mpi, "measure under the MPI in this prefix")
        ->type_name("PREFIX")
        ->envname("DUCTILE_MPI");
    command
        ->add_option("--output", options->output,
                     "write the costs to this file (default: the file that `ductile run` reads)")
        ->type_name("FILE");
    command->add_flag("--json", options->json, "print the model as JSON");
    command->footer(columns_text);
    command->callback([options, &exit_code] { exit_code = calibrate(*options); });
}

}  // namespace ductile::cli
