#include "cli/workload/records_json.hpp"

#include <nlohmann/json.hpp>

#include "ductile/error.hpp"

namespace ductile::cli {
namespace {

using Json = nlohmann::ordered_json;
using workload::HostsHeld;
using workload::JobRecord;
using workload::ResizeRecord;

constexpr int version = 1;

Json json_of(const ResizeRecord& resize) {
    return {{"method", to_string(resize.method)},
            {"old_hosts", resize.old_hosts},
            {"new_hosts", resize.new_hosts},
            {"total_s", resize.total_s},
            {"spawn_s", resize.spawn_s},
            {"redistribution_s", resize.redistribution_s},
            {"stall_s", resize.stall_s},
            {"overlapped_iterations", resize.overlapped_iterations}};
}

ResizeRecord resize_of(const Json& json) {
    const auto method = plan::method_named(json.at("method").get<std::string>());
    if (!method) throw InputError("a method is unknown");
    return {*method,
            json.at("old_hosts"),
            json.at("new_hosts"),
            json.at("total_s"),
            json.at("spawn_s"),
            json.at("redistribution_s"),
            json.at("stall_s"),
            json.at("overlapped_iterations")};
}

Json json_of(const JobRecord& job) {
    Json hosts = Json::array(), resizes = Json::array();
    for (const auto& held : job.hosts) hosts.push_back({held.time_s, held.hosts});
    for (const auto& resize : job.resizes) resizes.push_back(json_of(resize));
    return {{"number", job.number.value},
            {"class", job.class_name},
            {"submit_s", job.submit_s},
            {"start_s", job.start_s},
            {"end_s", job.end_s},
            {"succeeded", job.succeeded},
            {"hosts", hosts},
            {"resizes", resizes}};
}

JobRecord job_of(const Json& json) {
    JobRecord job;
    job.number = workload::JobNumber{json.at("number")};
    job.class_name = json.at("class");
    job.submit_s = json.at("submit_s");
    job.start_s = json.at("start_s");
    job.end_s = json.at("end_s");
    job.succeeded = json.at("succeeded");
    for (const auto& held : json.at("hosts")) job.hosts.push_back({held.at(0), held.at(1)});
    for (const auto& resize : json.at("resizes")) job.resizes.push_back(resize_of(resize));
    return job;
}

}  // namespace

std::string records_text(const std::vector<JobRecord>& records) {
    Json jobs = Json::array();
    for (const auto& record : records) jobs.push_back(json_of(record));
    return Json{{"version", version}, {"jobs", jobs}}.dump(1) + "\n";
}

std::vector<JobRecord> parse_records(std::string_view text, const std::string& file) {
    try {
        const auto json = Json::parse(text);
        if (json.at("version") != version)
            throw InputError("its version is " + json.at("version").dump() + ", not " +
                             std::to_string(version));
        std::vector<JobRecord> records;
        for (const auto& job : json.at("jobs")) records.push_back(job_of(job));
        return records;
    } catch (const std::exception& error) {
        throw InputError(file + ": " + error.what());
    }
}

}  // namespace ductile::cli
