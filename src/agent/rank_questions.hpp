// What the ranks of a group have asked their broker by PMI-1. Pure.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "wire/agent_messages.hpp"

namespace ductile::agent {

/// A question waits for its answer, unless its rank has ended. An answer to none is no answer.
class RankQuestions {
  public:
    void ask(const wire::NameAsked& question) { names_[question.rank] = question; }
    /// Its port of accept, by which its children reach it, is among the keys.
    void ask(const wire::SpawnAsked& question);

    /// False when it was not asked.
    bool take(const wire::NameAnswer& answer);
    /// After a good answer the rank accepts on its port, until spawn_returned().
    bool take(const wire::SpawnAnswer& answer);
    void spawn_returned(core::Rank rank) { accepting_.erase(rank); }
    /// Nobody waits for its answers any more.
    void forget(core::Rank rank);

    /// Answers with an error to all that are open.
    [[nodiscard]] std::vector<wire::SpawnAnswer> failed_spawns(core::GroupId group) const;
    [[nodiscard]] std::vector<wire::NameAnswer> failed_names(core::GroupId group) const;
    /// Who accepts, with its port; from now on nobody does.
    [[nodiscard]] std::map<core::Rank, std::string> take_accepting();
    /// What ranks of this host have published.
    [[nodiscard]] std::vector<wire::NameAsked> published() const;

  private:
    std::map<core::Rank, std::string> spawning_, accepting_;  // with their ports
    std::map<core::Rank, wire::NameAsked> names_;
    std::map<std::string, wire::NameAsked> published_;  // by service
};

}  // namespace ductile::agent
