#include "cli/job_origin.hpp"

#include <variant>

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
    }
};

struct OriginRecord : JobOrigin {
    template <class V>
    void visit(V& v) {
        std::vector<HostRecord> records;
        for (const auto& host : hosts.hosts) records.push_back(HostRecord{host});
        Launch message(launch);
        v.message("launch", message), v.list("hosts", records, limits::groups);
        v.flag("logical", logical);
        launch = std::get<wire::AgentWelcome>(message);
        hosts.hosts.assign(records.begin(), records.end());
    }
};

}  // namespace

nlohmann::json to_json(const JobOrigin& origin) {
    auto json = nlohmann::json::object();
    OriginRecord record{origin};
    wire::Encoder encoder(json);
    record.visit(encoder);
    json["settings"] = origin.settings;
    return json;
}

JobOrigin job_origin_from(const nlohmann::json& json) {
    OriginRecord record;
    wire::Decoder decoder(json, "origin");
    record.visit(decoder);
    if (!json.contains("settings")) throw InputError("origin.settings is missing");
    record.settings = json["settings"];
    static_cast<void>(Settings(record.settings));  // throws for what no Settings has made
    return record;
}

}  // namespace ductile::cli
