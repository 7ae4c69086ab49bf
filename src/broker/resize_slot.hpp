// The place for the open resize: at most one is open at a time.
#pragma once

#include <asio/io_context.hpp>
#include <functional>
#include <optional>

#include "broker/open_resize.hpp"
#include "core/contract.hpp"

namespace ductile::broker {

class ResizeSlot {
  public:
    using CarryOut = std::function<void(const resize::Effect&)>;

    /// `carry_out`: called for each effect, before the next event is handled. It may call take().
    /// `on_time`: called after a timer event of the resize was handled.
    ResizeSlot(asio::io_context& io, CarryOut carry_out, std::function<void()> on_time)
        : io_(io), carry_out_(std::move(carry_out)), on_time_(std::move(on_time)) {}

    void open(resize::ResizeOperation begun);
    /// Precondition: a resize is open.
    [[nodiscard]] OpenResize* operator->() {
        DUCTILE_EXPECT(open_.has_value());
        return &*open_;
    }
    [[nodiscard]] const OpenResize* operator->() const {
        DUCTILE_EXPECT(open_.has_value());
        return &*open_;
    }
    explicit operator bool() const { return open_.has_value(); }
    /// Null if no resize is open.
    [[nodiscard]] const resize::ResizeOperation* operation() const {
        return open_ ? &open_->operation : nullptr;
    }
    /// Whether a resize is open that is not the start of the job.
    [[nodiscard]] bool is_resizing() const {
        return open_ && !open_->operation.plan().starts_job();
    }
    [[nodiscard]] bool is(core::TransactionId id) const {
        return open_ && open_->operation.plan().id == id;
    }
    /// Whether the open resize has ranks on this host at its end.
    [[nodiscard]] bool needs(core::HostIndex host) const {
        return open_ && open_->operation.plan().after.ranks_on(host) > 0;
    }

    /// Handles an event; does nothing if no resize is open. Each event is handled completely before
    /// the next one. If an effect that is being carried out causes an event, this event waits.
    void tell(resize::Event event);
    /// Adds an event before those that wait: the answer to an effect. Precondition: a resize is
    /// open, and its effects are being carried out.
    void tell_first(resize::Event event);
    /// Precondition: a resize is open.
    [[nodiscard]] OpenResize take();
    void clear() { open_.reset(); }

  private:
    asio::io_context& io_;
    CarryOut carry_out_;
    std::function<void()> on_time_;
    std::optional<OpenResize> open_;
    bool is_telling_ = false;
};

}  // namespace ductile::broker
