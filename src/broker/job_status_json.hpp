// What a broker answers about its job, as JSON.
#pragma once

#include <optional>
#include <string>

#include "broker/job_history.hpp"
#include "broker/job_hosts.hpp"
#include "broker/job_ledger.hpp"
#include "broker/job_spec.hpp"
#include "broker/request_queue.hpp"

namespace ductile::broker {

struct JobParts {
    const JobSpec& spec;
    const JobHosts& hosts;
    const JobHistory& history;
    const JobLedger& ledger;
    const Limits& limits;
    const std::optional<OpenResize>& open;
    const RequestQueue& queue;
    std::string state;  ///< "starting", "running", ...
};
/// For `ductile status`.
std::string status_of(const JobParts& job);

/// For whoever asked for a resize: the number of the one that was accepted.
std::string accepted_as(core::TransactionId resize);

}  // namespace ductile::broker
