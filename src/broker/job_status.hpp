// What `ductile status` shows of a job.
#pragma once

#include <nlohmann/json.hpp>
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
nlohmann::json status_of(const JobParts& job);

}  // namespace ductile::broker
