#include "cli/explain_text.hpp"

#include <nlohmann/json.hpp>

#include <fmt/format.h>

#include "wire/printable.hpp"

namespace ductile::cli {

namespace {

using Json = nlohmann::json;

std::string time_text(const Json& decision) {
    const auto first = decision.at("first_s").get<double>();
    const auto last = decision.at("last_s").get<double>();
    if (decision.at("times").get<int>() == 1) return fmt::format("{:.1f} s", first);
    return fmt::format("{:.1f}-{:.1f} s", first, last);
}

std::string size_text(const Json& decision) {
    const int ranks = decision.at("ranks").get<int>();
    if (!decision.contains("to")) return fmt::format("{} stays", ranks);
    return fmt::format("{} -> {}", ranks, decision.at("to").get<int>());
}

std::string why_text(const Json& decision) {
    auto why = decision.at("why").get<std::string>();
    if (!decision.contains("to")) return why;
    return why + " (" + decision.value("outcome", "the resize is open") + ")";
}

}  // namespace

std::string explain_text(const Json& policy) {
    auto text = fmt::format("policy   {}\n", policy.at("name").get<std::string>());
    const auto& decisions = policy.at("decisions");
    if (decisions.empty()) return text + "no decision yet\n";
    text += fmt::format("\n{:>16}  {:<12} why\n", "time", "ranks");
    for (const auto& one : decisions)
        text += fmt::format("{:>16}  {:<12} {}\n", time_text(one), size_text(one), why_text(one));
    return wire::printable(text);
}

}  // namespace ductile::cli
