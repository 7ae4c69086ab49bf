#include "groups/enrolments.hpp"

#include <algorithm>
#include <utility>

namespace ductile::groups {

void Enrolments::begin(GroupKey key, tree::Builder&& builder, const tree::LabelSet& labels,
                       PacketOutbox& out) {
    auto& mine = all_.try_emplace(key, std::move(builder)).first->second.builder;
    tree::Outbox messages;
    mine.start(messages, labels);
    if (const auto early = early_.extract(key))
        for (auto& [from, message] : early.mapped())
            mine.on_message(from, std::move(message), messages);
    pack(key, messages, out);
}

void Enrolments::on_message(tree::ProcessId from, GroupKey key, tree::Message message,
                            PacketOutbox& out) {
    const auto at = all_.find(key);
    if (at == all_.end()) {
        early_[key].push_back({from, std::move(message)});
        return;
    }
    tree::Outbox messages;
    at->second.builder.on_message(from, std::move(message), messages);
    pack(key, messages, out);
    if (!at->second.awaited && at->second.builder.finished()) all_.erase(at);
}

void Enrolments::stop_waiting(GroupKey key) {
    const auto at = all_.find(key);
    at->second.awaited = false;
    if (at->second.builder.finished()) all_.erase(at);
}

bool Enrolments::is_any_awaited() const {
    return std::ranges::any_of(all_, [](const auto& one) { return one.second.awaited; });
}

}  // namespace ductile::groups
