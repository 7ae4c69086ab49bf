// What `ductile status` shows of a job.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "broker/job_history.hpp"
#include "broker/job_hosts.hpp"
#include "broker/job_ledger.hpp"
#include "broker/job_spec.hpp"

namespace ductile::broker {

struct JobParts {
    const JobSpec& spec;
    const JobHosts& hosts;
    const JobHistory& history;
    const JobLedger& ledger;
    const Limits& limits;
    const std::optional<OpenResize>& open;
    std::size_t waiting = 0;  ///< requests
    std::string state;        ///< "starting", "running", ...
};
nlohmann::json status_of(const JobParts& job);

}  // namespace ductile::broker
