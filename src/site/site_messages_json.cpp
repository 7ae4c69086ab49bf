#include "site/site_messages.hpp"

#include <algorithm>
#include <utility>

#include "wire/fields.hpp"
#include "wire/parse_json.hpp"
#include "wire/printable.hpp"

namespace ductile::site {

namespace {

std::string to_text(const wire::Json& json) {
    return json.dump(-1, ' ', true, wire::Json::error_handler_t::replace);
}

}  // namespace

std::string to_payload(const Question& question) {
    return to_text(wire::encode_json(question));
}
std::string to_payload(const Answer& answer) {
    return to_text(wire::encode_json(answer));
}

Ask parse_question(std::string_view payload) {
    return std::get<Ask>(wire::decode_json<Question>(wire::parse_json(payload, "the question")));
}

Answer parse_answer(std::string_view payload) {
    return wire::decode_json<Answer>(wire::parse_json(payload, "the answer"));
}

Ask to_ask(const policy::SiteQuestion& question, std::string nonce) {
    const auto& view = question.view;
    Ask ask{.nonce = std::move(nonce),
            .slurm_job = question.job.value,
            .again_s = question.again_s,
            .ranks = view.ranks,
            .hosts = {},
            .free_slots = view.free_slots,
            .slots_per_host = view.slots_per_host,
            .min = view.min,
            .max = view.max,
            .preferred = view.preferred,
            .multiple = view.multiple};
    for (const auto& host : view.hosts) {
        const bool is_next = ask.hosts.empty() || ask.hosts.back().ranks != host.ranks ||
                             ask.hosts.back().returnable != host.is_returnable;
        if (is_next) ask.hosts.push_back({0, host.ranks, host.is_returnable});
        ++ask.hosts.back().hosts;
    }
    return ask;
}

std::int64_t hosts_in(const Ask& ask) {
    std::int64_t hosts = 0;
    for (const auto& run : ask.hosts) hosts += run.hosts;
    return hosts;
}

policy::SiteQuestion to_question(const Ask& ask) {
    constexpr double longest_s = 600;  // a job that says more is forgotten earlier
    policy::SiteQuestion question{.job = policy::SiteJobId{ask.slurm_job},
                                  .view = {},
                                  .again_s = std::min(ask.again_s, longest_s)};
    auto& view = question.view;
    if (hosts_in(ask) > wire::limits::ranks)
        throw InputError("message refused: ask has too many hosts");
    std::int64_t ranks = 0;
    for (const auto& run : ask.hosts) {
        ranks += std::int64_t{run.hosts} * run.ranks;
        view.hosts.insert(view.hosts.end(), static_cast<std::size_t>(run.hosts),
                          {run.ranks, run.returnable});
    }
    if (ranks != ask.ranks)
        throw InputError("message refused: ask.ranks is " + std::to_string(ask.ranks) +
                         ", and its hosts have " + std::to_string(ranks));
    view.ranks = ask.ranks;
    view.free_slots = ask.free_slots;
    view.slots_per_host = ask.slots_per_host;
    view.min = ask.min;
    view.max = ask.max;
    view.preferred = ask.preferred;
    view.multiple = ask.multiple;
    return question;
}

Decided to_decided(const policy::Decision& decision, std::string nonce) {
    return {.nonce = std::move(nonce),
            .ranks = decision.ranks.value_or(0),
            .hosts = decision.hosts.value_or(0),
            .for_job = decision.for_job ? static_cast<std::int64_t>(decision.for_job->value) : 0,
            .why = decision.why.substr(0, wire::limits::text_bytes)};
}

policy::Decision to_decision(const Decided& decided) {
    policy::Decision decision;
    if (decided.ranks > 0) decision.ranks = decided.ranks;
    if (decided.hosts > 0) decision.hosts = decided.hosts;
    if (decided.for_job > 0)
        decision.for_job = policy::WaitingJobId{static_cast<std::uint64_t>(decided.for_job)};
    decision.why = wire::on_one_line(decided.why);
    return decision;
}

}  // namespace ductile::site
