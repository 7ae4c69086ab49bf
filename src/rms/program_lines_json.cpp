#include "rms/program_lines_json.hpp"

#include <algorithm>
#include <cmath>

#include "rms/hosts_file.hpp"
#include "wire/fields.hpp"
#include "wire/parse_json.hpp"
#include "wire/printable.hpp"

namespace ductile::rms {

namespace {

using wire::Json;

// With the longest names a line then has 40 KiB.
constexpr std::size_t hosts_in_a_hello = 128;
constexpr std::size_t most_excluded = 128;

std::string to_text(const Json& json) {
    return json.dump(-1, ' ', true, Json::error_handler_t::replace);
}

struct GrantedHost {
    core::Host host;
    template <class V>
    void visit(V& v) {
        v.text("name", host.name, max_name_bytes);
        v.number("slots", host.slots, 1, max_slots);
    }
};

template <class V>
void visit_id(V& v, RequestId& id) {
    v.number("id", id.value, 1, wire::limits::ids - 1);
}

void expect_host_name(const std::string& name, const char* field) {
    if (!is_host_name(name))
        throw InputError(std::string("message refused: ") + field + " is not a host name");
}

struct GrantedLine : Granted {
    static constexpr std::string_view name = "granted";
    [[nodiscard]] const Granted& answer() const { return *this; }
    template <class V>
    void visit(V& v) {
        std::vector<GrantedHost> granted;
        visit_id(v, id), v.list("hosts", granted, max_hosts), v.flag("last", last);
        for (const auto& one : granted) {
            expect_host_name(one.host.name, "granted.hosts.name");
            hosts.push_back(one.host);
        }
    }
};

struct DeniedLine : Denied {
    static constexpr std::string_view name = "denied";
    [[nodiscard]] const Denied& answer() const { return *this; }
    template <class V>
    void visit(V& v) {
        visit_id(v, id), v.text("reason", reason, wire::limits::text_bytes);
        reason = wire::on_one_line(std::move(reason));
    }
};

struct RevokedLine : Revoked {
    static constexpr std::string_view name = "revoked";
    [[nodiscard]] const Revoked& answer() const { return *this; }
    template <class V>
    void visit(V& v) {
        double seconds = 0;
        v.text("host", host, max_name_bytes), v.seconds("deadline_s", seconds);
        expect_host_name(host, "revoked.host");
        within = std::chrono::milliseconds{std::llround(seconds * 1000)};
    }
};

}  // namespace

std::vector<std::string> hello_lines(const std::string& job, const std::vector<core::Host>& held) {
    std::vector<std::string> lines;
    std::size_t next = 0;
    do {
        Json hosts = Json::array();
        for (; next < held.size() && hosts.size() < hosts_in_a_hello; ++next)
            hosts.push_back({{"name", held[next].name}, {"slots", held[next].slots}});
        lines.push_back(to_text({{"type", "hello"},
                                 {"version", program_protocol_version},
                                 {"job", job},
                                 {"held", std::move(hosts)},
                                 {"last", next == held.size()}}));
    } while (next < held.size());
    return lines;
}

std::string request_line(RequestId id, const HostRequest& request) {
    auto exclude = request.constraints.exclude;
    // The line names only the first excluded hosts. If the program grants one of the rest, the job
    // releases it.
    exclude.resize(std::min(exclude.size(), most_excluded));
    return to_text(
        {{"type", "request"},
         {"id", id.value},
         {"hosts", request.hosts},
         {"constraints", {{"min_slots", request.constraints.min_slots}, {"exclude", exclude}}}});
}

std::string cancel_line(RequestId id) {
    return to_text({{"type", "cancel"}, {"id", id.value}});
}

std::string release_line(const std::string& host) {
    return to_text({{"type", "release"}, {"host", host}});
}

HostAnswer parse_answer(std::string_view line) {
    using Line = std::variant<GrantedLine, DeniedLine, RevokedLine>;
    const auto read = wire::decode_json<Line>(wire::parse_json(line, "the line"));
    return std::visit([](const auto& one) { return HostAnswer{one.answer()}; }, read);
}

}  // namespace ductile::rms
