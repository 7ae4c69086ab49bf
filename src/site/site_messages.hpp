// What a job asks ductiled, and what ductiled answers. Each message is one munge credential on a
// line of its own; its payload is one JSON object. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "policy/site.hpp"
#include "wire/limits.hpp"

namespace ductile::site {

/// The longest credential, without its newline.
inline constexpr std::size_t max_credential_bytes = std::size_t{256} << 10;

/// Equal hosts in a row.
struct HostRun {
    int hosts = 0, ranks = 0;
    bool returnable = true;
    template <class V>
    void visit(V& v) {
        v.number("hosts", hosts, 1, wire::limits::ranks);
        v.number("ranks", ranks, 1, wire::limits::ranks);
        v.flag("returnable", returnable);
    }
};

struct Ask {
    static constexpr std::string_view name = "ask";
    std::string nonce;  ///< the answer repeats it, so that no other answer can take its place
    std::uint32_t slurm_job = 0;
    double again_s = 0;
    int ranks = 0;
    std::vector<HostRun> hosts;
    int free_slots = 0, slots_per_host = 0;
    int min = 0, max = 0, preferred = 0, multiple = 0;
    template <class V>
    void visit(V& v) {
        v.text("nonce", nonce, wire::limits::name_bytes);
        v.number("slurm_job", slurm_job, 1, UINT32_MAX);
        v.seconds("again_s", again_s);
        v.number("ranks", ranks, 1, wire::limits::ranks);
        v.list("hosts", hosts, wire::limits::ranges);
        v.number("free_slots", free_slots, 0, wire::limits::ranks);
        v.number("slots_per_host", slots_per_host, 0, wire::limits::ranks);
        v.number("min", min, 0, wire::limits::ranks);
        v.number("max", max, 0, wire::limits::ranks);
        v.number("preferred", preferred, 0, wire::limits::ranks);
        v.number("multiple", multiple, 0, wire::limits::ranks);
    }
};
struct Decided {
    static constexpr std::string_view name = "decided";
    std::string nonce;
    int ranks = 0;  ///< the new size; 0: the job keeps its size
    int hosts = 0;  ///< if the job gives hosts up: how many it keeps; 0: it gives none up
    std::int64_t for_job = 0;  ///< the waiting job that gets them; 0: none
    std::string why;
    template <class V>
    void visit(V& v) {
        v.text("nonce", nonce, wire::limits::name_bytes);
        v.number("ranks", ranks, 0, wire::limits::ranks);
        v.number("hosts", hosts, 0, wire::limits::ranks);
        v.number("for_job", for_job, 0, UINT32_MAX);
        v.text("why", why, wire::limits::text_bytes);
    }
};
struct Refused {
    static constexpr std::string_view name = "refused";
    std::string nonce;
    std::string why;
    template <class V>
    void visit(V& v) {
        v.text("nonce", nonce, wire::limits::name_bytes);
        v.text("why", why, wire::limits::text_bytes);
    }
};
using Question = std::variant<Ask>;
using Answer = std::variant<Decided, Refused>;

std::string to_payload(const Question& question);
std::string to_payload(const Answer& answer);
/// They throw InputError that names the field.
Ask parse_question(std::string_view payload);
Answer parse_answer(std::string_view payload);

Ask to_ask(const policy::SiteQuestion& question, std::string nonce);
/// How many hosts the job says that it has.
[[nodiscard]] std::int64_t hosts_in(const Ask& ask);
/// Throws InputError if the hosts are too many, or do not hold the ranks.
policy::SiteQuestion to_question(const Ask& ask);
Decided to_decided(const policy::Decision& decision, std::string nonce);
policy::Decision to_decision(const Decided& decided);

}  // namespace ductile::site
