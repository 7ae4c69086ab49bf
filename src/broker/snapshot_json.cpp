#include "broker/snapshot_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "broker/field_json.hpp"
#include "broker/host_table_json.hpp"
#include "broker/resize_request_wire.hpp"
#include "wire/fields.hpp"
#include "wire/group_fields.hpp"

namespace ductile::broker {

namespace {

namespace limits = wire::limits;

// Like wire::GroupFields, with the hosts of all ranks.
struct GroupRecord {
    core::Group group;
    core::GroupId launcher_group;
    GroupRole role = GroupRole::member;
    template <class V>
    void visit(V& v) {
        struct ShareRecord : core::Share {
            void visit(V& w) { w.id("host", host), w.number("ranks", ranks, 1, limits::ranks); }
        };
        std::vector<ShareRecord> elsewhere;
        for (const auto& share : group.elsewhere) elsewhere.push_back(ShareRecord{share});
        v.id("id", group.id), v.id("host", group.host);
        v.number("ranks", group.ranks, 1, limits::ranks);
        v.list("elsewhere", elsewhere, limits::ranges), v.id("launcher_group", launcher_group);
        v.choice("role", role, {"newcomer", "member", "child", "undone"});
        group.elsewhere.assign(elsewhere.begin(), elsewhere.end());
    }
};

struct AgentRecord : KnownAgent {
    template <class V>
    void visit(V& v) {
        v.id("host", host), v.id("generation", generation);
    }
};

template <class V>
void visit_layout(V& v, const char* key, core::Layout& layout) {
    wire::LayoutFields fields(layout);
    v.object(key, fields);
    layout = std::move(fields);
}

struct SlotsRecord {
    core::HostIndex host;
    int slots = 1;
    template <class V>
    void visit(V& v) {
        v.id("host", host), v.number("slots", slots, 1, limits::ranks);
    }
};

template <class V>
void visit_slots(V& v, const char* key, core::SlotCounts& counts) {
    std::vector<SlotsRecord> records;
    for (const auto& [host, slots] : counts) records.push_back({host, slots});
    v.list(key, records, limits::groups);
    counts.clear();
    for (const auto& record : records) counts[record.host] = record.slots;
}

template <class V>
void visit_request(V& v, const char* where, ResizeRequest& request) {
    auto message = to_wire(request);
    v.object("request", message);
    const auto asked = request_from(message, core::is_no_host);
    if (!asked) throw InputError(fmt::format("snapshot.{}.request asks for nothing", where));
    request = *asked;
}

struct NextRecord : KnownRequest {
    template <class V>
    void visit(V& v) {
        visit_request(v, "next", request), v.id("continues", continues);
        v.flag("only_at_once", only_at_once);
    }
};

struct WaitingRecord : KnownRequest {
    template <class V>
    void visit(V& v) {
        visit_request(v, "waiting", request), v.id("continues", continues);
        v.flag("only_at_once", only_at_once);
    }
};

struct AwaitingRecord : KnownAwaiting {
    template <class V>
    void visit(V& v) {
        visit_request(v, "awaiting", request), v.id("continues", continues), v.id("id", id);
        v.number("hosts", hosts, 1, limits::groups), v.choice("aim", aim, {"largest", "smallest"});
        v.flag("only_at_once", only_at_once);
    }
};

struct SnapshotRecord : Snapshot {
    template <class V>
    void visit(V& v) {
        std::vector<GroupRecord> known;
        for (const auto& one : groups) known.push_back({one.group, one.launcher_group, one.role});
        std::vector<AgentRecord> on_hosts;
        for (const auto& agent : agents) on_hosts.push_back(AgentRecord{agent});
        std::vector<NextRecord> then;
        if (next) then.push_back({*next});
        std::vector<WaitingRecord> later;
        for (const auto& one : waiting) later.push_back({one});
        v.choice("stage", stage, {"starting", "running", "finishing", "ending"});
        visit_layout(v, "layout", layout), visit_slots(v, "given_back", given_back);
        v.list("groups", known, limits::groups);
        v.list("agents", on_hosts, limits::groups);
        v.list("next", then, 1), v.list("waiting", later, limits::groups);
        std::vector<AwaitingRecord> waits;
        if (awaiting) waits.push_back({*awaiting});
        v.list("awaiting", waits, 1);
        awaiting.reset();
        if (!waits.empty()) awaiting = waits.front();
        v.number("generations", generations, 0, INT32_MAX);
        v.number("next_group", next_group, 0, INT32_MAX);
        v.number("mpi_worlds_seen", mpi_worlds_seen, 0, INT32_MAX);
        v.number("next_transaction", next_transaction, 0, INT32_MAX);
        v.number("health", health, 0, 2), v.number("exit_code", exit_code, 0, 255);
        v.text("end_why", end_why, limits::data_bytes);
        std::vector<wire::CodeOptions> said;
        if (code) said.push_back(to_wire(*code));
        v.list("code", said, 1);
        groups.clear();
        for (const auto& one : known) groups.push_back({one.group, one.launcher_group, one.role});
        agents.assign(on_hosts.begin(), on_hosts.end());
        code.reset();
        if (!said.empty()) code = limits_from(said.front());
        next.reset();
        if (!then.empty()) next = then.front();
        waiting.assign(later.begin(), later.end());
    }
};

// Checks what the bounds of single fields cannot check: the first host of each group has ranks,
// too, and the total number of ranks is within its limit.
void expect_countable(const std::vector<core::Group>& groups, const char* where) {
    std::int64_t total = 0;
    for (const auto& group : groups) {
        std::int64_t first = group.ranks;
        for (const auto& share : group.elsewhere) first -= share.ranks;
        if (first < 1)
            throw InputError("snapshot." + std::string(where) + ": group " +
                             std::to_string(group.id.value) + " has no rank on its first host");
        total += group.ranks;
    }
    if (total > limits::ranks)
        throw InputError("snapshot." + std::string(where) + " has more than " +
                         std::to_string(limits::ranks) + " ranks");
}

// Checks that no process is in the layout twice.
void expect_distinct(const core::Layout& layout, const char* where) {
    auto ranges = layout.active;
    ranges.insert(ranges.end(), layout.parked.begin(), layout.parked.end());
    std::ranges::sort(ranges, {}, [](const core::RankRange& range) {
        return core::Process{range.group, range.first};
    });
    for (std::size_t i = 1; i < ranges.size(); ++i)
        if (ranges[i - 1].holds({ranges[i].group, ranges[i].first}))
            throw InputError(
                fmt::format("snapshot.{} has rank {} twice", where,
                            core::to_string(core::Process{ranges[i].group, ranges[i].first})));
}

void expect_countable(const Snapshot& snapshot) {
    expect_distinct(snapshot.layout, "layout");
    for (const auto& known : snapshot.groups) expect_countable({known.group}, "groups");
    if (!snapshot.open) return;
    expect_countable(snapshot.open->plan().added, "open.added");
    expect_distinct(snapshot.open->plan().before, "open.before");
    expect_distinct(snapshot.open->plan().after, "open.after");
}

/// Checks that every named host is in the host table.
void expect_known_hosts(const Snapshot& snapshot) {
    const auto known = static_cast<int>(snapshot.hosts.hosts.size());
    const auto expect = [known](core::HostIndex host, const char* where) {
        if (host.value < 0 || host.value >= known)
            throw InputError(fmt::format("snapshot.{}: there is no host {}", where, host.value));
    };
    const auto expect_all = [&expect](const core::Layout& layout, const char* where) {
        for (const auto& range : layout.active) expect(range.host, where);
        for (const auto& range : layout.parked) expect(range.host, where);
    };
    const auto expect_group = [&expect](const core::Group& group, const char* where) {
        for (const auto& share : group.shares()) expect(share.host, where);
    };
    expect_all(snapshot.layout, "layout");
    for (const auto& [host, slots] : snapshot.given_back) expect(host, "given_back");
    for (const auto& agent : snapshot.agents) expect(agent.host, "agents");
    for (const auto& one : snapshot.groups) expect_group(one.group, "groups");
    if (!snapshot.open) return;
    expect_all(snapshot.open->plan().before, "open.before");
    expect_all(snapshot.open->plan().after, "open.after");
    for (const auto& [host, slots] : snapshot.open->plan().given_back)
        expect(host, "open.given_back");
    for (const auto& group : snapshot.open->plan().added) expect_group(group, "open.added");
}

void read_open(const nlohmann::json& json, std::optional<resize::ResizeOperation>& open) {
    const auto found = json.find("open");
    if (found == json.end() || !found->is_array() || found->size() > 1)
        throw InputError("snapshot.open is not a list of at most one resize");
    if (!found->empty()) FieldReader::object(found->front(), "snapshot.open", open.emplace());
}

}  // namespace

nlohmann::json to_json(const Snapshot& snapshot) {
    auto json = nlohmann::json::object();
    SnapshotRecord record{snapshot};
    wire::Encoder encoder(json);
    record.visit(encoder);
    auto open = nlohmann::json::array();
    if (record.open) open.push_back(FieldWriter::object(*record.open));
    json["open"] = std::move(open);
    json["hosts"] = to_json(record.hosts);
    return json;
}

Snapshot snapshot_from(const nlohmann::json& json) {
    SnapshotRecord record;
    wire::Decoder decoder(json, "snapshot");
    record.visit(decoder);
    read_open(json, record.open);
    if (!json.contains("hosts")) throw InputError("snapshot.hosts is missing");
    record.hosts = host_table_from(json["hosts"]);
    expect_known_hosts(record);
    expect_countable(record);
    return record;
}

}  // namespace ductile::broker
