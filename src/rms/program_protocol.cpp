#include "rms/program_protocol.hpp"

#include <algorithm>

#include "ductile/error.hpp"

namespace ductile::rms {

namespace {

constexpr auto ends_within = std::chrono::minutes(1);
constexpr std::size_t most_ends = 3;
constexpr int most_refused_lines = 10;  // the user is not told of further ones

}  // namespace

ProgramProtocol::ProgramProtocol(std::string program, std::string job, const core::Allocation& held)
    : program_(std::move(program)), job_(std::move(job)) {
    for (const auto& host : held.hosts) held_[host.name] = host.slots;
}

ProgramEffects ProgramProtocol::started() {
    ProgramEffects effects;
    std::vector<core::Host> held;
    for (const auto& [name, slots] : held_) held.push_back({name, slots});
    for (auto& line : hello_lines(job_, held)) effects.emplace_back(SendLine{std::move(line)});
    return effects;
}

ProgramEffects ProgramProtocol::request(RequestId id, const HostRequest& request) {
    if (given_up_) return {AnswerJob{Denied{id, *given_up_}}};
    waiting_.insert(id);
    if (!told_.insert(id).second) return {};
    return {SendLine{request_line(id, request)}};
}

ProgramEffects ProgramProtocol::cancel(RequestId id) {
    if (waiting_.erase(id) > 0) {
        cancelled_.insert(id);
        return {SendLine{cancel_line(id)}};
    }
    if (cancelled_.contains(id)) return {};
    return {AnswerJob{Denied{id, "cancelled"}}};
}

ProgramEffects ProgramProtocol::release(const std::string& host) {
    held_.erase(host);
    if (given_up_) return {};
    return {SendLine{release_line(host)}};
}

ProgramEffects ProgramProtocol::received(std::string_view bytes) {
    ProgramEffects effects;
    for (const auto& line : lines_.add(bytes)) on_line(line, effects);
    return effects;
}

void ProgramProtocol::on_line(const BoundedLines::Line& line, ProgramEffects& effects) {
    if (!line.text)
        return refuse(line.number,
                      "longer than " + std::to_string(max_program_line / 1024) +
                          " KiB (a grant may come in several lines, with last: false)",
                      effects);
    try {
        const auto answer = parse_answer(*line.text);
        std::visit([this](const auto& one) { on_answer(one); }, answer);
        effects.emplace_back(AnswerJob{answer});
    } catch (const InputError& error) {
        refuse(line.number, error.what(), effects);
    }
}

void ProgramProtocol::on_answer(const Granted& granted) {
    for (const auto& host : granted.hosts) {
        const auto [before, is_first] = granted_by_.try_emplace(host.name, granted.id);
        const bool is_repetition = !is_first && before->second == granted.id;
        if (is_repetition) continue;  // the job ignores it, and may have released the host since
        before->second = granted.id;
        held_.emplace(host.name, host.slots);
    }
    if (!granted.last) return;
    waiting_.erase(granted.id);
    cancelled_.erase(granted.id);
}

void ProgramProtocol::on_answer(const Denied& denied) {
    waiting_.erase(denied.id);
    cancelled_.erase(denied.id);
}

void ProgramProtocol::refuse(int line, const std::string& why, ProgramEffects& effects) {
    if (++refused_lines_ > most_refused_lines) return;
    effects.emplace_back(NotifyUser{
        program_ + ", line " + std::to_string(line) + ": " + why + "; the line is dropped" +
        (refused_lines_ == most_refused_lines ? " (its further errors are not shown)" : "")});
}

ProgramEffects ProgramProtocol::ended(Time now, const std::string& how) {
    ProgramEffects effects;
    lines_ = BoundedLines{max_program_line};
    refused_lines_ = 0;
    std::erase_if(ends_, [now](Time end) { return now - end >= ends_within; });
    ends_.emplace_back(now);
    for (const auto id : cancelled_) effects.emplace_back(AnswerJob{Denied{id, "cancelled"}});
    cancelled_.clear();
    told_.clear();
    const auto what = "the resource manager's program " + program_ + " has ended (" + how + ")";
    if (ends_.size() >= most_ends) {
        effects.emplace_back(NotifyUser{what + ", " + std::to_string(most_ends) +
                                        " times within a minute; the job asks for no more hosts"});
        give_up(effects);
    } else {
        effects.emplace_back(NotifyUser{what + " and is started again"});
        effects.emplace_back(AnswerJob{Forgotten{}});
        effects.emplace_back(StartProgram{});
    }
    return effects;
}

void ProgramProtocol::give_up(ProgramEffects& effects) {
    given_up_ = "no more hosts can be asked for: the resource manager's program " + program_ +
                " has ended " + std::to_string(most_ends) + " times within a minute";
    effects.emplace_back(AnswerJob{Gone{*given_up_}});
    for (const auto id : waiting_) effects.emplace_back(AnswerJob{Denied{id, *given_up_}});
    waiting_.clear();
}

}  // namespace ductile::rms
