#include "tree/process.hpp"

#include <utility>

namespace ductile::tree {

Process::Process(const Method& method, std::optional<TreePosition> position,
                 std::optional<Colour> own, const HashFamily& hashes, LabelSet labels)
    : own_(own), labels_(std::move(labels)) {
    if (position) builder_.emplace(method, std::move(*position), own, hashes);
}

void Process::begin(Outbox& out) {
    for (const auto& child : builder_->position_in_parent().children)
        out.push_back({child.id, Begin{}});
    builder_->start(out, labels_);
    report_if_done(out);
}

void Process::start(Outbox& out) {
    builder_->start(out, labels_);
    report_if_done(out);
}

void Process::on_message(ProcessId from, Message message, Outbox& out) {
    if (std::holds_alternative<Begin>(message)) {
        begin(out);
    } else if (const auto* entry = std::get_if<Register>(&message)) {
        directories_.on_register(from, *entry, out);
    } else if (std::holds_alternative<Done>(message)) {
        ++done_below_;
        report_if_done(out);
    } else {
        builder_->on_message(from, std::move(message), out);
        report_if_done(out);
    }
}

const std::optional<TreePosition>& Process::position() const {
    static const std::optional<TreePosition> none;
    return builder_ ? builder_->position() : none;
}

void Process::report_if_done(Outbox& out) {
    if (reported_ || !position() || done_below_ < position()->children.size()) return;
    reported_ = true;
    if (position()->parent)
        out.push_back({*position()->parent, Done{*own_}});
    else
        complete_ = true;
}

std::size_t Process::bytes() const {
    return sizeof(*this) + labels_.heap_bytes() + directories_.bytes() - sizeof(directories_) +
           (builder_ ? builder_->bytes() - sizeof(*builder_) : 0);
}

bool is_counted(const Message& message) {
    return !std::holds_alternative<Begin>(message) && !std::holds_alternative<Done>(message);
}

}  // namespace ductile::tree
