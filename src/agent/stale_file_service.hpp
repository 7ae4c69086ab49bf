// Host service: removes the files of an MPI library when the ranks that held them have ended.
#pragma once

#include <map>
#include <string>
#include <utility>

#include "agent/host_service.hpp"
#include "agent/stale_files.hpp"

namespace ductile::agent {

class StaleFileService : public HostService {
  public:
    /// `record`: a file that lists the stale files, for the clean-up after a killed agent.
    explicit StaleFileService(std::string record) : record_(std::move(record)) {}

    [[nodiscard]] const std::string& record() const { return record_; }
    void mpi_runs(core::GroupId group, pid_t process) override { files_of(group).note(process); }
    void will_be_killed(core::GroupId group, const std::vector<pid_t>& processes) override {
        files_of(group).note_all(processes);
    }
    void group_ended(core::GroupId group) override {
        files_of(group).remove();
        files_.erase(group);
    }

  private:
    StaleFiles& files_of(core::GroupId group) {
        return files_.try_emplace(group, record_).first->second;
    }

    std::string record_;
    std::map<core::GroupId, StaleFiles> files_;
};

}  // namespace ductile::agent
