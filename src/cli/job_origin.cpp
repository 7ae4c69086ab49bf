#include "cli/job_origin.hpp"

#include <nlohmann/json.hpp>
#include <variant>

#include "broker/job_options_json.hpp"
#include "broker/launch_spec_wire.hpp"

#include "ductile/error.hpp"
#include "wire/fields.hpp"

namespace ductile::cli {

namespace {

namespace limits = wire::limits;
using Launch = std::variant<wire::AgentWelcome>;

struct HostRecord : core::Host {
    template <class V>
    void visit(V& v) {
        v.text("name", name, limits::name_bytes), v.number("slots", slots, 1, limits::ranks);
        v.number("max_slots", max_slots, 0, limits::ranks);
    }
};

struct OriginRecord : JobOrigin {
    template <class V>
    void visit(V& v) {
        std::vector<HostRecord> records;
        for (const auto& host : hosts.hosts) records.push_back(HostRecord{host});
        Launch message(broker::welcome_of(launch));
        v.message("launch", message), v.list("hosts", records, limits::groups);
        v.flag("logical", logical);
        launch = broker::launch_from(std::get<wire::AgentWelcome>(message));
        hosts.hosts.assign(records.begin(), records.end());
    }
};

}  // namespace

nlohmann::json to_json(const JobOrigin& origin) {
    auto json = nlohmann::json::object();
    OriginRecord record{origin};
    wire::Encoder encoder(json);
    record.visit(encoder);
    json["settings"] = broker::to_json(origin.settings);
    if (origin.slurm_job) json["slurm_job"] = origin.slurm_job->value;
    return json;
}

JobOrigin job_origin_from(const nlohmann::json& json) {
    OriginRecord record;
    wire::Decoder decoder(json, "origin");
    record.visit(decoder);
    if (!json.contains("settings")) throw InputError("origin.settings is missing");
    record.settings = broker::job_options_from(json["settings"]);
    if (json.contains("slurm_job")) {
        if (!json["slurm_job"].is_number_unsigned())
            throw InputError("origin.slurm_job is no number of a Slurm job");
        record.slurm_job = rms::parse_slurm_job(json["slurm_job"].dump());
    }
    return record;
}

}  // namespace ductile::cli
