#include "agent/rank_life.hpp"

#include "core/overloaded.hpp"

namespace ductile::agent {

void RankLife::on(const rank_event::Any& event) {
    auto* running = std::get_if<Running>(&state_);
    std::visit(core::Overloaded{
                   [&](const rank_event::Started&) {
                       if (is_expected()) state_ = Running{};
                   },
                   [&](const rank_event::Hello&) {
                       if (contact_ == Contact::none) contact_ = Contact::hello;
                   },
                   [&](const rank_event::Goodbye&) { contact_ = Contact::goodbye; },
                   [&](const rank_event::Parked& what) {
                       if (running != nullptr) running->parked = what.on;
                   },
                   [&](const rank_event::SpawnOrdered& what) {
                       if (running != nullptr) running->spawns.insert(what.group);
                   },
                   [&](const rank_event::SpawnReturned& what) {
                       if (running != nullptr) running->spawns.erase(what.group);
                   },
                   [&](const rank_event::FilesNoted&) {
                       if (running != nullptr) running->files_noted = true;
                   },
                   [&](const rank_event::Dismissed& what) {
                       if (!dismissal_) dismissal_ = Dismissal{what.kill_at};
                   },
                   [&](const rank_event::TimeWasOver&) {
                       if (dismissal_) dismissal_->kill_at.reset();
                   },
                   [&](const rank_event::Ended& what) {
                       if (has_ended()) return;
                       // A rank that never said hello has no Job: then only its exit code
                       // counts.
                       const bool is_excused = has_sent_goodbye() && !what.end.after_job;
                       const bool failed =
                           !is_excused &&
                           ((has_sent_hello() && !what.end.after_job) || what.end.code != 0);
                       state_ = Ended{what.end, failed};
                   },
               },
               event);
}

const RankEnd* RankLife::end() const {
    const auto* ended = std::get_if<Ended>(&state_);
    return ended == nullptr ? nullptr : &ended->end;
}

bool RankLife::has_failed() const {
    const auto* ended = std::get_if<Ended>(&state_);
    return ended != nullptr && ended->failed && !dismissal_;
}

bool RankLife::is_parked() const {
    const auto* running = std::get_if<Running>(&state_);
    return running != nullptr && running->parked;
}

bool RankLife::is_active() const {
    return !has_ended() && !has_sent_goodbye() && !is_parked();
}

bool RankLife::spawns() const {
    const auto* running = std::get_if<Running>(&state_);
    return running != nullptr && !running->spawns.empty();
}

bool RankLife::files_are_known() const {
    const auto* running = std::get_if<Running>(&state_);
    return running == nullptr ? has_ended() : running->files_noted;
}

std::optional<Time> RankLife::kill_at() const {
    if (has_ended() || !dismissal_) return std::nullopt;
    return dismissal_->kill_at;
}

}  // namespace ductile::agent
