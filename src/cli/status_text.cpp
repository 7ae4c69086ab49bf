#include "cli/status_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "cli/ask_broker.hpp"
#include "wire/parse_json.hpp"
#include "wire/printable.hpp"

namespace ductile::cli {

namespace {

using Json = nlohmann::json;

const char* health_text(const std::string& health) {
    if (health == "good") return "";
    if (health == "helper")
        return ", degraded: `ductile renew`, or its next growth, replaces all its ranks";
    return ", degraded: it can shrink and end, but not grow";
}

// The age of the last resize point, if it is 2 s or more. A resize waits for the next point, and
// the program may hang or compute for long.
std::string last_point_text(const Json& s) {
    constexpr double worth_a_word = 2;
    const double since = s.value("since_point_s", 0.0);
    return since < worth_a_word ? "" : fmt::format(", the last one {:.0f} s ago", since);
}

// A note for a job that has its hosts and is starting. The broker cannot distinguish an ordinary
// MPI program from a program that starts slowly.
std::string start_text(const Json& s) {
    if (s.at("state") != "starting" || s.contains("asked_hosts")) return "";
    return "note     not all ranks have made a ductile::Job; an ordinary MPI program, which makes "
           "none, is shown as starting until it ends\n";
}

std::string job_text(const Json& s) {
    std::string program;
    for (const auto& word : s.at("program"))
        program += (program.empty() ? "" : " ") + word.get<std::string>();
    auto out = fmt::format("job      {}  {}{}\nprogram  {}\nmpi      {}\nranks    {}\n",
                           s.at("job").get<std::string>(), s.at("state").get<std::string>(),
                           health_text(s.at("health").get<std::string>()), program,
                           s.at("mpi").get<std::string>(), s.at("ranks").get<int>());
    out += start_text(s);
    if (const int parked = s.value("parked", 0); parked > 0)
        out += fmt::format("parked   {}\n", parked);
    if (s.contains("point_s"))
        out +=
            fmt::format("points   {}, one every {:.3g} s{}\n", s.at("points").get<std::int64_t>(),
                        s.at("point_s").get<double>(), last_point_text(s));
    if (s.contains("asked_hosts"))
        out += fmt::format("hosts    {} asked for\n", s.at("asked_hosts").get<int>());
    if (s.contains("pending"))
        out += fmt::format("resize   {} -> {}: {}\n", s.at("pending").at("from").get<int>(),
                           s.at("pending").at("to").get<int>(),
                           s.at("pending").at("phase").get<std::string>());
    return out;
}

std::string hosts_text(const Json& s) {
    auto out = fmt::format("\n{:<20} {:>5} {:>5}  groups\n", "host", "slots", "ranks");
    for (const auto& host : s.at("hosts")) {
        std::string groups;
        for (const auto& group : s.at("groups"))
            for (const auto& share : group.at("hosts"))
                if (share.at("host") == host.at("name"))
                    groups += fmt::format(" g{}", group.at("id").get<int>());
        out += fmt::format("{:<20} {:>5} {:>5} {}\n", host.at("name").get<std::string>(),
                           host.at("slots").get<int>() - host.value("given_back", 0),
                           host.at("ranks").get<int>(), groups.empty() ? " -" : groups);
        if (host.contains("taken_back_in_s"))
            out.insert(out.size() - 1, fmt::format("  taken back in {:.0f} s",
                                                   host.at("taken_back_in_s").get<double>()));
    }
    return out;
}

std::string resizes_text(const Json& resizes, std::size_t most) {
    if (resizes.empty()) return {};
    auto out = fmt::format("\n{:>4} {:>12} {:<12} {:>10} {:>10}\n", "", "ranks", "outcome",
                           "total ms", "stall ms");
    for (auto i = resizes.size() - std::min(resizes.size(), most); i < resizes.size(); ++i) {
        const auto& r = resizes[i];
        out +=
            fmt::format("{:>4} {:>12} {:<12} {:>10.1f} {:>10.2f}\n", r.at("transaction").get<int>(),
                        fmt::format("{} -> {}", r.at("from").get<int>(), r.at("to").get<int>()),
                        r.at("outcome").get<std::string>(), r.at("total_s").get<double>() * 1e3,
                        r.at("stall_s").get<double>() * 1e3);
    }
    return out;
}

}  // namespace

Json ask_status(const JobSocket& job) {
    wire::Reply answer;
    ask_broker(job, wire::StatusRequest{}, std::chrono::seconds(10), [&](const wire::Reply& reply) {
        answer = reply;
        return true;
    });
    if (answer.kind != wire::ReplyKind::done) throw SystemError(answer.text);
    return wire::parse_json(answer.data, "the status of job " + job.job);
}

std::string status_text(const Json& status, std::size_t most_resizes) {
    return wire::printable(job_text(status) + hosts_text(status) +
                           resizes_text(status.at("resizes"), most_resizes));
}

}  // namespace ductile::cli
