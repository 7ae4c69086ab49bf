#include "agent/rank_questions.hpp"

#include <algorithm>
#include <utility>

namespace ductile::agent {

void RankQuestions::ask(const wire::SpawnAsked& question) {
    const auto port =
        std::ranges::find(question.keys, "PARENT_ROOT_PORT_NAME", &wire::KeyFields::key);
    spawning_[question.rank] = port == question.keys.end() ? "" : port->value;
}

bool RankQuestions::take(const wire::NameAnswer& answer) {
    const auto asked = names_.extract(answer.rank);
    if (asked.empty()) return false;
    const auto& question = asked.mapped();
    if (answer.ok && question.question == wire::NameQuestion::publish)
        published_[question.service] = question;
    if (answer.ok && question.question == wire::NameQuestion::unpublish)
        published_.erase(question.service);
    return true;
}

bool RankQuestions::take(const wire::SpawnAnswer& answer) {
    auto asked = spawning_.extract(answer.rank);
    if (asked.empty()) return false;
    accepting_.erase(answer.rank);
    if (answer.ok) accepting_.insert(std::move(asked));
    return true;
}

void RankQuestions::forget(core::Rank rank) {
    spawning_.erase(rank);
    accepting_.erase(rank);
    names_.erase(rank);
}

std::vector<wire::SpawnAnswer> RankQuestions::failed_spawns(core::GroupId group) const {
    std::vector<wire::SpawnAnswer> answers;
    for (const auto& [rank, port] : spawning_) answers.push_back({group, rank, false});
    return answers;
}

std::vector<wire::NameAnswer> RankQuestions::failed_names(core::GroupId group) const {
    std::vector<wire::NameAnswer> answers;
    for (const auto& [rank, question] : names_) answers.push_back({group, rank, false, {}});
    return answers;
}

std::map<core::Rank, std::string> RankQuestions::take_accepting() {
    return std::exchange(accepting_, {});
}

std::vector<wire::NameAsked> RankQuestions::published() const {
    std::vector<wire::NameAsked> all;
    for (const auto& [service, question] : published_) all.push_back(question);
    return all;
}

}  // namespace ductile::agent
