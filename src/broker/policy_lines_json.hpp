// The lines between a job and the program that decides its size (docs/policies.md). Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "policy/views.hpp"
#include "wire/limits.hpp"

namespace ductile::broker {

inline constexpr int policy_protocol_version = 1;
/// The longest line of the program, without its newline.
inline constexpr std::size_t max_policy_line = std::size_t{64} * 1024;
/// A line for the program holds at most this many waiting jobs: those with the highest priorities.
inline constexpr std::size_t most_waiting_in_a_line = 1000;

/// A question to a policy: the size of this job on this cluster.
struct PolicyQuestion {
    policy::JobView job;
    policy::ClusterView cluster;
    double now_s = 0;
    double again_s = 0;  ///< the next question comes after this time, if nothing happens meanwhile
};

std::string policy_hello_line(const std::string& job);
/// `id`: the answer repeats it.
std::string decide_line(std::int64_t id, const PolicyQuestion& question);

/// A line of the program.
struct DecisionLine {
    static constexpr std::string_view name = "decision";
    std::int64_t id = 0;
    int ranks = 0, hosts = 0;  ///< 0: not given
    std::string why;
    template <class V>
    void visit(V& v) {
        v.number("id", id, 1, wire::limits::ids - 1);
        v.number("ranks", ranks, 0, wire::limits::ranks);
        v.number("hosts", hosts, 0, wire::limits::ranks);
        v.text("why", why, wire::limits::text_bytes);
    }
};
/// Throws InputError that names the field.
DecisionLine parse_decision(std::string_view line);
/// What the line means for this job. Throws InputError if the line names more hosts than the job
/// has.
policy::Decision decision_for(const policy::JobView& job, const DecisionLine& line);

}  // namespace ductile::broker
