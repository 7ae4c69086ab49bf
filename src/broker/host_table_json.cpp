#include "broker/host_table_json.hpp"

#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "wire/fields.hpp"

namespace ductile::broker {

namespace {

namespace limits = wire::limits;

std::int64_t number_of(WallTime time) {
    return time.time_since_epoch().count();
}

WallTime time_of(std::int64_t number) {
    return WallTime{std::chrono::milliseconds{number}};
}

/// The index of a host's state in host::State, and the data of all states.
struct StateRecord {
    int index = 0;
    rms::RequestId request;
    std::int64_t must_go = -1;  // -1: none
    bool revoked = false;

    template <class V>
    void visit(V& v) {
        v.choice("state", index,
                 {"reserved", "idle", "starting", "up", "draining", "lost", "avoided", "released"});
        v.id("request", request), v.number("must_go", must_go, -1, INT64_MAX);
        v.flag("revoked", revoked);
    }

    static StateRecord of(const host::State& state) {
        StateRecord record;
        record.index = static_cast<int>(state.index());
        std::visit([&record](const auto& one) { record.fill(one); }, state);
        return record;
    }
    [[nodiscard]] host::State state() const {
        const auto time = must_go < 0 ? std::nullopt : std::optional(time_of(must_go));
        const host::State all[] = {
            host::Reserved{request}, host::Idle{},        host::Starting{time}, host::Up{time},
            host::Draining{time},    host::Lost{revoked}, host::Avoided{},      host::Released{}};
        return all[index];
    }

  private:
    template <class State>
    void fill(const State& state) {
        if constexpr (requires { state.request; }) request = state.request;
        if constexpr (requires { state.must_go; })
            if (state.must_go) must_go = number_of(*state.must_go);
        if constexpr (requires { state.revoked; }) revoked = state.revoked;
    }
};

struct HostRecord {
    KnownHost known;
    template <class V>
    void visit(V& v) {
        auto state = StateRecord::of(known.state);
        v.text("name", known.host.name, limits::name_bytes);
        v.number("slots", known.host.slots, 0, limits::ranks);
        v.number("max_slots", known.host.max_slots, 0, limits::ranks);
        v.id("granted_by", known.granted_by), v.flag("failed", known.failed), state.visit(v);
        known.state = state.state();
    }
};

struct PartRecord {
    PartOfUse part;
    template <class V>
    void visit(V& v) {
        v.number("first", part.first, 1, limits::ranks);
        v.number("step", part.step, 1, limits::ranks);
    }
};

struct WaitingRecord {
    Waiting waiting;
    template <class V>
    void visit(V& v) {
        auto& need = waiting.need;
        auto& [hosts, constraints, before_waiting_jobs] = need.request;
        std::vector<core::HostIndex> granted(waiting.granted.begin(), waiting.granted.end());
        std::vector<PartRecord> part;
        if (need.part) part.push_back({*need.part});
        auto until = number_of(need.until);
        v.id("wanted_by", need.wanted_by), v.number("hosts", hosts, 1, limits::groups);
        v.number("min_slots", constraints.min_slots, 0, limits::ranks);
        v.texts("exclude", constraints.exclude, limits::groups, limits::name_bytes);
        v.flag("before_waiting_jobs", before_waiting_jobs);
        v.list("part", part, 1), v.number("until", until, 0, INT64_MAX);
        v.ids("granted", granted, limits::groups), v.flag("was_revoked", waiting.was_revoked);
        need.part.reset();
        if (!part.empty()) need.part = part.front().part;
        need.until = time_of(until);
        waiting.granted = {granted.begin(), granted.end()};
    }
};

struct RequestRecord {
    OpenRequest request;
    template <class V>
    void visit(V& v) {
        std::vector<WaitingRecord> record;  // empty: cancelled
        if (const auto* waiting = std::get_if<Waiting>(&request.state))
            record.push_back({*waiting});
        v.id("id", request.id), v.list("waiting", record, 1);
        request.state = Cancelled{};
        if (!record.empty()) request.state = record.front().waiting;
    }
};

struct TableRecord {
    HostTableState table;
    template <class V>
    void visit(V& v) {
        std::vector<HostRecord> hosts;
        for (const auto& known : table.hosts) hosts.push_back({known});
        std::vector<RequestRecord> requests;
        for (const auto& request : table.requests) requests.push_back({request});
        v.list("hosts", hosts, limits::ranges), v.list("requests", requests, limits::groups);
        v.number("next_request", table.next_request, 1, limits::ids - 1);
        v.flag("ending", table.ending);
        table.hosts.clear();
        for (const auto& one : hosts) table.hosts.push_back(one.known);
        table.requests.clear();
        for (const auto& one : requests) table.requests.push_back(one.request);
    }
};

/// Checks what the bounds of single fields cannot check: the granted hosts of a request exist, and
/// a reserved host is granted for its request.
void expect_consistent(const HostTableState& table) {
    std::set<std::pair<rms::RequestId, core::HostIndex>> granted;
    for (const auto& request : table.requests) {
        const auto* waiting = std::get_if<Waiting>(&request.state);
        if (waiting == nullptr) continue;
        for (const auto host : waiting->granted) {
            if (host.value < 0 || static_cast<std::size_t>(host.value) >= table.hosts.size())
                throw InputError("hosts.requests: there is no host " + std::to_string(host.value));
            granted.insert({request.id, host});
        }
    }
    for (std::size_t i = 0; i < table.hosts.size(); ++i) {
        const auto* reserved = std::get_if<host::Reserved>(&table.hosts[i].state);
        const core::HostIndex host{static_cast<int>(i)};
        if (reserved != nullptr && !granted.contains({reserved->request, host}))
            throw InputError("hosts.hosts: " + table.hosts[i].host.name +
                             " is reserved for a request that is not open, or that was not "
                             "granted this host");
    }
}

}  // namespace

nlohmann::json to_json(const HostTableState& state) {
    auto json = nlohmann::json::object();
    TableRecord record{state};
    wire::Encoder encoder(json);
    record.visit(encoder);
    return json;
}

HostTableState host_table_from(const nlohmann::json& json) {
    TableRecord record;
    wire::Decoder decoder(json, "hosts");
    record.visit(decoder);
    expect_consistent(record.table);
    return record.table;
}

}  // namespace ductile::broker
