#include "rms/slurm_config.hpp"

#include <algorithm>

namespace ductile::rms {

namespace {

std::string trimmed(std::string_view text) {
    const auto first = text.find_first_not_of(" \t\r");
    if (first == std::string_view::npos) return {};
    return std::string(text.substr(first, text.find_last_not_of(" \t\r") - first + 1));
}

std::string in_small_letters(std::string text) {
    for (auto& letter : text)
        if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
    return text;
}

}  // namespace

std::vector<std::string> parts_of(std::string_view text, char separator) {
    std::vector<std::string> parts;
    while (!text.empty()) {
        const auto end = std::min(text.find(separator), text.size());
        parts.push_back(trimmed(text.substr(0, end)));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return parts;
}

// Slurm writes "(null)" for a value that is not set.
SlurmConfig::SlurmConfig(std::string_view text) {
    for (const auto& line : parts_of(text, '\n')) {
        const auto equals = line.find('=');
        if (equals == std::string::npos) continue;
        auto value = trimmed(std::string_view(line).substr(equals + 1));
        if (value == "(null)") value.clear();
        values_.try_emplace(trimmed(std::string_view(line).substr(0, equals)), std::move(value));
    }
}

std::string SlurmConfig::value(const std::string& key) const {
    const auto found = values_.find(key);
    return found == values_.end() ? std::string() : found->second;
}

bool SlurmConfig::lists(const std::string& key, std::string_view word) const {
    return std::ranges::any_of(parts_of(value(key), ','), [word](const std::string& one) {
        return in_small_letters(one) == word;
    });
}

bool SlurmConfig::has_accounting() const {
    const auto store = value("AccountingStorageType");
    return !store.empty() && store != "accounting_storage/none";
}

std::optional<std::string> why_no_merge(const SlurmConfig& config) {
    // The prolog would not run on a merged host. Slurm 24.11 then ends the whole job at the first
    // step there, and drains the host. Contain is refused by itself.
    for (const char* flag : {"Contain", "Alloc"})
        if (config.lists("PrologFlags", in_small_letters(flag)))
            return std::string("PrologFlags=") + flag;
    if (!config.lists("SchedulerParameters", "permit_job_expansion"))
        return "no permit_job_expansion";
    if (!config.has_accounting()) return "no accounting";
    return std::nullopt;
}

}  // namespace ductile::rms
