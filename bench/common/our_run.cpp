#include "common/our_run.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <thread>

#include "common/running_command.hpp"
#include "ductile/error.hpp"

namespace ductile::bench {

namespace {

using namespace std::chrono_literals;
using nlohmann::json;

constexpr auto start_within = 30s;
/// The job computes undisturbed for this time before each resize.
constexpr auto settle = 150ms;

/// A temporary file. The destructor removes the file.
class ScratchFile {
  public:
    ScratchFile()
        : path_(std::filesystem::temp_directory_path() /
                fmt::format("ductile-bench-{}.jsonl", ::getpid())) {}
    ~ScratchFile() {
        std::error_code ignored;
        std::filesystem::remove(path_, ignored);
    }
    ScratchFile(const ScratchFile&) = delete;
    ScratchFile& operator=(const ScratchFile&) = delete;
    [[nodiscard]] const std::string& path() const { return path_; }

  private:
    std::string path_;
};

/// The lines of the text that are JSON objects.
std::vector<json> json_lines(std::istream& text) {
    std::vector<json> found;
    for (std::string line; std::getline(text, line);) {
        auto value = json::parse(line, nullptr, false);
        if (value.is_object()) found.push_back(std::move(value));
    }
    return found;
}

/// Waits until the job runs. Returns its id.
std::string wait_until_running(const std::string& events, const RunningCommand& run) {
    const auto until = std::chrono::steady_clock::now() + start_within;
    while (std::chrono::steady_clock::now() < until) {
        std::ifstream file(events);
        std::string job;
        for (const auto& event : json_lines(file)) {
            if (event.value("event", "") == "job_started") job = event.at("job");
            if (event.value("event", "") == "job_running") return job;
        }
        if (run.ended(5ms)) break;
    }
    throw SystemError("the job did not start");
}

void resize(const Place& place, const std::string& job, const Request& request) {
    std::vector<std::string> words{"resize", job};
    words.insert(words.end(), request.begin(), request.end());
    words.emplace_back("--wait");
    const auto command = place.ductile(words);
    const auto result = rms::run_command(command);
    if (!result.succeeded())
        throw SystemError(fmt::format("the resize by '{}' failed: {} ({})", fmt::join(request, " "),
                                      how_it_ended(command, result), result.err));
}

void add_what_the_program_saw(std::vector<OurResize>& resizes, const std::string& output) {
    std::istringstream text(output);
    for (const auto& line : json_lines(text)) {
        const auto k = line.at("resize").get<std::size_t>();
        if (k >= resizes.size()) continue;
        auto& seen = resizes[k];
        seen.stall_s = std::max(seen.stall_s, line.at("stall_s").get<double>());
        if (line.at("rank") != 0) continue;
        seen.slowest_pending_s = line.at("slowest_pending_s");
        seen.slowest_quiet_s = line.at("slowest_quiet_s");
        seen.overlapped = line.at("overlapped");
        seen.iteration_pending_s = line.at("iteration_pending_s");
        seen.iteration_quiet_s = line.at("iteration_quiet_s");
    }
}

}  // namespace

std::vector<OurResize> run_ours(const Place& place, const Shape& begin, const Shape& most,
                                const std::vector<int>& sizes, const std::vector<std::string>& way,
                                int mebibytes) {
    std::vector<Request> requests;
    for (const int size : sizes) requests.push_back({std::to_string(size)});
    return run_requests(place, begin, most, requests, way, mebibytes);
}

std::vector<OurResize> run_requests(const Place& place, const Shape& begin, const Shape& most,
                                    const std::vector<Request>& requests,
                                    const std::vector<std::string>& way, int mebibytes) {
    const ScratchFile events;
    RunningCommand run(place.ours(begin, most, events.path(), way,
                                  {beside("programs/malleable_loop"),
                                   std::to_string(requests.size()), std::to_string(mebibytes)}));
    std::string failure;
    try {
        const auto job = wait_until_running(events.path(), run);
        for (const auto& request : requests) {
            std::this_thread::sleep_for(settle);
            resize(place, job, request);
        }
    } catch (const Error& error) {
        failure = error.what();
        run.cancel();
    }
    const auto result = run.result();
    if (!failure.empty() || !result.succeeded())
        throw SystemError(
            fmt::format("{}; {}: {}", failure, how_it_ended(run.command(), result), result.err));

    std::vector<OurResize> resizes;
    std::ifstream file(events.path());
    for (auto& event : json_lines(file)) {
        if (event.value("event", "") != "resize") continue;
        if (event.at("outcome") != "done")
            throw SystemError("a resize was rolled back: " + event.value("why", ""));
        OurResize one;
        one.total_s = event.at("total_s");
        one.record = std::move(event);
        resizes.push_back(std::move(one));
    }
    if (resizes.size() != requests.size())
        throw SystemError(
            fmt::format("{} resizes are recorded, not {}", resizes.size(), requests.size()));
    add_what_the_program_saw(resizes, result.out);
    return resizes;
}

}  // namespace ductile::bench
