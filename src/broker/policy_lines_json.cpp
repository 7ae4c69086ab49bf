#include "broker/policy_lines_json.hpp"

#include <algorithm>

#include "wire/fields.hpp"
#include "wire/parse_json.hpp"
#include "wire/printable.hpp"

namespace ductile::broker {

namespace {

using wire::Json;

std::string to_text(const Json& json) {
    return json.dump(-1, ' ', true, Json::error_handler_t::replace);
}

// One object for each run of equal hosts.
Json to_json(const std::vector<policy::HostView>& hosts) {
    auto runs = Json::array();
    for (auto from = hosts.begin(); from != hosts.end();) {
        const auto end = std::find_if_not(
            from, hosts.end(), [&](const policy::HostView& host) { return host == *from; });
        runs.push_back(
            {{"hosts", end - from}, {"ranks", from->ranks}, {"returnable", from->is_returnable}});
        from = end;
    }
    return runs;
}

Json to_json(const policy::JobView& job) {
    Json json{{"ranks", job.ranks},
              {"hosts", to_json(job.hosts)},
              {"free_slots", job.free_slots},
              {"slots_per_host", job.slots_per_host},
              {"min", job.min},
              {"max", job.max},
              {"preferred", job.preferred},
              {"multiple", job.multiple}};
    if (job.efficiency) json["efficiency"] = *job.efficiency;
    if (job.point_cost)
        json["point"] = {{"seconds", job.point_cost->seconds}, {"joules", job.point_cost->joules}};
    if (!job.no_power.empty()) json["no_power"] = job.no_power;
    return json;
}

Json to_json(const policy::ClusterView& cluster) {
    auto waiting = Json::array();
    for (const auto& job : cluster.waiting) {
        if (waiting.size() == most_waiting_in_a_line) break;
        waiting.push_back({{"id", job.id.value}, {"hosts", job.hosts}});
    }
    return {{"idle_hosts", cluster.idle_hosts},
            {"waiting", std::move(waiting)},
            {"waiting_in_all", cluster.waiting.size()}};
}

}  // namespace

std::string policy_hello_line(const std::string& job) {
    return to_text({{"type", "hello"}, {"version", policy_protocol_version}, {"job", job}});
}

std::string decide_line(std::int64_t id, const PolicyQuestion& question) {
    return to_text({{"type", "decide"},
                    {"id", id},
                    {"now_s", question.now_s},
                    {"job", to_json(question.job)},
                    {"cluster", to_json(question.cluster)}});
}

DecisionLine parse_decision(std::string_view line) {
    auto json = wire::parse_json(line, "the line");
    // What the program leaves out has its default.
    if (json.is_object())
        for (const auto& [key, value] : {std::pair<const char*, Json>{"ranks", 0},
                                         {"hosts", 0},
                                         {"why", "the program gives no reason"}})
            if (!json.contains(key)) json[key] = value;
    auto read = std::get<DecisionLine>(wire::decode_json<std::variant<DecisionLine>>(json));
    if (read.ranks > 0 && read.hosts > 0)
        throw InputError("message refused: decision has both ranks and hosts");
    read.why = wire::on_one_line(std::move(read.why));
    return read;
}

policy::Decision decision_for(const policy::JobView& job, const DecisionLine& line) {
    policy::Decision decision;
    decision.why = line.why;
    decision.is_exact = true;
    if (line.ranks > 0 && line.ranks != job.ranks) decision.ranks = line.ranks;
    const auto all = static_cast<int>(job.hosts.size());
    if (line.hosts == 0 || line.hosts == all) return decision;
    if (line.hosts > all)
        throw InputError("message refused: decision.hosts is " + std::to_string(line.hosts) +
                         ", and the job has " + std::to_string(all) + "; to grow, give ranks");
    decision.hosts = line.hosts;
    decision.ranks = 0;
    for (int i = 0; i < line.hosts; ++i)
        *decision.ranks += job.hosts[static_cast<std::size_t>(i)].ranks;
    return decision;
}

}  // namespace ductile::broker
