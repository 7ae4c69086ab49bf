#include "cli/status_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "cli/ask_broker.hpp"

namespace ductile::cli {

namespace {

using Json = nlohmann::json;

const char* wear_text(const std::string& wear) {
    if (wear == "none") return "";
    if (wear == "helper")
        return ", worn: `ductile renew`, or its next growth, replaces all its ranks";
    return ", worn: it can shrink and end, but not grow";
}

std::string job_text(const Json& s) {
    std::string program;
    for (const auto& word : s["program"])
        program += (program.empty() ? "" : " ") + word.get<std::string>();
    auto out = fmt::format("job      {}  {}{}\nprogram  {}\nmpi      {}\nranks    {}\n",
                           s["job"].get<std::string>(), s["state"].get<std::string>(),
                           wear_text(s["wear"].get<std::string>()), program,
                           s["mpi"].get<std::string>(), s["ranks"].get<int>());
    if (const int parked = s.value("parked", 0); parked > 0)
        out += fmt::format("parked   {}\n", parked);
    if (s.contains("point_s"))
        out += fmt::format("points   {}, one every {:.3g} s\n", s["points"].get<std::int64_t>(),
                           s["point_s"].get<double>());
    if (s.contains("pending"))
        out += fmt::format("resize   {} -> {}: {}\n", s["pending"]["from"].get<int>(),
                           s["pending"]["to"].get<int>(), s["pending"]["phase"].get<std::string>());
    return out;
}

std::string hosts_text(const Json& s) {
    auto out = fmt::format("\n{:<20} {:>5} {:>5}  groups\n", "host", "slots", "ranks");
    for (const auto& host : s["hosts"]) {
        std::string groups;
        for (const auto& group : s["groups"])
            for (const auto& share : group["hosts"])
                if (share["host"] == host["name"])
                    groups += fmt::format(" g{}", group["id"].get<int>());
        out += fmt::format("{:<20} {:>5} {:>5} {}\n", host["name"].get<std::string>(),
                           host["slots"].get<int>(), host["ranks"].get<int>(),
                           groups.empty() ? " -" : groups);
    }
    return out;
}

std::string resizes_text(const Json& resizes, std::size_t most) {
    if (resizes.empty()) return {};
    auto out = fmt::format("\n{:>4} {:>12} {:<12} {:>10} {:>10}\n", "", "ranks", "outcome",
                           "total ms", "stall ms");
    for (auto i = resizes.size() - std::min(resizes.size(), most); i < resizes.size(); ++i) {
        const auto& r = resizes[i];
        out += fmt::format("{:>4} {:>12} {:<12} {:>10.1f} {:>10.2f}\n", r["transaction"].get<int>(),
                           fmt::format("{} -> {}", r["from"].get<int>(), r["to"].get<int>()),
                           r["outcome"].get<std::string>(), r["total_s"].get<double>() * 1e3,
                           r["stall_s"].get<double>() * 1e3);
    }
    return out;
}

}  // namespace

Json ask_status(const JobSocket& job) {
    Json status;
    ask_broker(job, wire::StatusRequest{}, std::chrono::seconds(10), [&](const wire::Reply& reply) {
        if (reply.kind != wire::ReplyKind::done) throw SystemError(reply.text);
        status = Json::parse(reply.data);
        return true;
    });
    return status;
}

std::string status_text(const Json& status, std::size_t most_resizes) {
    return job_text(status) + hosts_text(status) + resizes_text(status["resizes"], most_resizes);
}

}  // namespace ductile::cli
