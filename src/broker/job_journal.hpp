// The journal of a running job. If writing fails, the user is told once.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "broker/agent_pool.hpp"
#include "broker/journal.hpp"
#include "core/contract.hpp"

namespace ductile::broker {

/// The endpoint of the broker that wrote this journal. Throws InputError if it cannot be read.
BrokerEndpoint endpoint_in(const Journal& journal);

class JobJournal {
  public:
    struct Written {
        std::optional<std::string> failed;  ///< why the step could not be written
        std::string notice;                 ///< for the user; empty: none
    };

    /// `taken_over`: the journal of a broker that died.
    JobJournal(std::string path, std::optional<Journal> taken_over)
        : path_(std::move(path)),
          journal_(std::move(taken_over)),
          taken_over_(journal_.has_value()) {}

    /// `origin`: see JobSpec::origin.
    void create(const std::string& origin, const std::string& job, const BrokerEndpoint& endpoint);
    /// Called before a step that can still be refused or undone, and after an event that has
    /// happened already. If this fails before a step, the caller refuses or undoes the step.
    [[nodiscard]] Written record(const std::string& step, const Snapshot& snapshot);
    void record_resize(const nlohmann::json& record);

    [[nodiscard]] bool is_taken_over() const { return taken_over_; }
    /// Precondition: there is a journal.
    [[nodiscard]] const Journal& journal() const {
        DUCTILE_EXPECT(journal_.has_value());
        return *journal_;
    }
    [[nodiscard]] const std::string& path() const { return path_; }

  private:
    std::string path_;
    std::optional<Journal> journal_;
    bool taken_over_;
    bool failed_ = false;  ///< the last step could not be written
};

}  // namespace ductile::broker
