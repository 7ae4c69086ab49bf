// The journal of a job that runs: written before each step, and said once when it cannot be.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "broker/agent_pool.hpp"
#include "broker/journal.hpp"
#include "core/contract.hpp"

namespace ductile::broker {

/// Where the broker was whose journal this is. Throws InputError.
BrokerEndpoint endpoint_in(const Journal& journal);

class JobJournal {
  public:
    using Notify = std::function<void(const std::string&)>;

    /// `taken_over`: that of a broker that died.
    JobJournal(std::string path, std::optional<Journal> taken_over, Notify notify);

    /// `origin`: as JobSpec::origin.
    void create(const std::string& origin, const std::string& job, const BrokerEndpoint& endpoint);
    /// Before the step is taken. What cannot be journaled is not to be done where it can still be
    /// refused or undone: an answer is the reason.
    [[nodiscard]] std::optional<std::string> record(const std::string& step,
                                                    const Snapshot& snapshot);
    void record_resize(const nlohmann::json& record);

    [[nodiscard]] bool is_taken_over() const { return taken_over_; }
    /// Precondition: there is one.
    [[nodiscard]] const Journal& journal() const {
        DUCTILE_EXPECT(journal_.has_value());
        return *journal_;
    }
    [[nodiscard]] const std::string& path() const { return path_; }

  private:
    std::string path_;
    std::optional<Journal> journal_;
    Notify notify_;
    bool taken_over_;
    bool failed_ = false;  ///< the last step could not be written
};

}  // namespace ductile::broker
