// The PMI-1 questions of a group's ranks that the broker answers. Pure.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "wire/agent_messages.hpp"

namespace ductile::agent {

/// A question waits for its answer until its rank ends. An answer to no open question is ignored.
class RankQuestions {
  public:
    void ask(const wire::NameAsked& question) { names_[question.rank] = question; }
    /// The keys contain the port where the rank accepts the connection of its children.
    void ask(const wire::SpawnAsked& question);

    /// Returns false if there is no such question.
    bool take(const wire::NameAnswer& answer);
    /// Returns false if there is no such question. After a good answer the rank counts as accepting
    /// on its port, until spawn_returned() or the answer to its next MPI_Comm_spawn.
    bool take(const wire::SpawnAnswer& answer);
    /// Only called for an MPI_Comm_spawn of a resize. The agent does not learn when another
    /// returns.
    void spawn_returned(core::Rank rank) { accepting_.erase(rank); }
    /// Forgets the questions of a rank, which needs no answers any more.
    void forget(core::Rank rank);

    /// Error answers to all open questions.
    [[nodiscard]] std::vector<wire::SpawnAnswer> failed_spawns(core::GroupId group) const;
    [[nodiscard]] std::vector<wire::NameAnswer> failed_names(core::GroupId group) const;
    /// The ranks that count as accepting, with their ports. Afterwards no rank counts as accepting.
    [[nodiscard]] std::map<core::Rank, std::string> take_accepting();
    /// The names that ranks of this host have published.
    [[nodiscard]] std::vector<wire::NameAsked> published() const;

  private:
    std::map<core::Rank, std::string> spawning_, accepting_;  // the ports of these ranks
    std::map<core::Rank, wire::NameAsked> names_;
    std::map<std::string, wire::NameAsked> published_;  // by service
};

}  // namespace ductile::agent
