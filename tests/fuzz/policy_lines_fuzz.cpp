// What a policy's program says, and a program that reports the power of hosts (docs/policies.md).
#include "broker/policy_lines_json.hpp"
#include "broker/power_lines_json.hpp"
#include "fuzz/fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace ductile;
    using fuzz::expect;
    policy::JobView job;
    job.ranks = 6;
    job.hosts = {{1, false}, {2, true}, {3, true}};
    try {
        const auto line = broker::parse_decision(fuzz::text_of(data, size));
        expect(line.id > 0, "a decision has a number");
        const auto decision = broker::decision_for(job, line);
        expect(!decision.ranks || (*decision.ranks > 0 && *decision.ranks != job.ranks),
               "a new size is another size");
        expect(!decision.hosts || (*decision.hosts < 3 && *decision.ranks < job.ranks),
               "a job that keeps fewer hosts has fewer ranks");
        expect(decision.why.find('\n') == std::string::npos, "a reason is one line");
    } catch (const InputError&) {
    }
    try {
        const auto line = broker::parse_power(fuzz::text_of(data, size));
        expect(line.watts >= 0 && line.watts <= wire::limits::watts, "a power is within bounds");
    } catch (const InputError&) {
    }
    return 0;
}
