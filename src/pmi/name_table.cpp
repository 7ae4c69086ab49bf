#include "pmi/name_table.hpp"

#include "pmi/limits.hpp"

namespace ductile::pmi {

answer::NameResult NameTable::publish(const KvsName& world, std::string service, std::string port) {
    if (entries_.size() >= limits::names) return answer::NameResult::refused;
    const bool added =
        entries_.try_emplace(std::move(service), Entry{world, std::move(port)}).second;
    return added ? answer::NameResult::done : answer::NameResult::refused;
}

answer::NameResult NameTable::unpublish(std::string_view service) {
    const auto found = entries_.find(service);
    if (found == entries_.end()) return answer::NameResult::refused;
    entries_.erase(found);
    return answer::NameResult::done;
}

std::optional<std::string> NameTable::lookup(std::string_view service) const {
    const auto found = entries_.find(service);
    if (found == entries_.end()) return std::nullopt;
    return found->second.port;
}

void NameTable::forget(const KvsName& world) {
    std::erase_if(entries_, [&](const auto& entry) { return entry.second.world == world; });
}

}  // namespace ductile::pmi
