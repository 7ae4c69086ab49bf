// The place for the resize that is open: there is one at a time.
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

    /// `carry_out`: each effect, before the next event is heard. It may take the resize out.
    /// `on_time`: a timer of the resize has come, and was heard.
    ResizeSlot(asio::io_context& io, CarryOut carry_out, std::function<void()> on_time)
        : io_(io), carry_out_(std::move(carry_out)), on_time_(std::move(on_time)) {}

    void open(resize::ResizeOperation begun);
    /// Precondition for all that is reached by this: one is open.
    [[nodiscard]] OpenResize* operator->() {
        DUCTILE_EXPECT(open_.has_value());
        return &*open_;
    }
    [[nodiscard]] const OpenResize* operator->() const {
        DUCTILE_EXPECT(open_.has_value());
        return &*open_;
    }
    explicit operator bool() const { return open_.has_value(); }
    /// Null when none is open.
    [[nodiscard]] const resize::ResizeOperation* operation() const {
        return open_ ? &open_->operation : nullptr;
    }
    /// Of a job that runs already.
    [[nodiscard]] bool is_resizing() const {
        return open_ && !open_->operation.plan().starts_job();
    }
    [[nodiscard]] bool is(core::TransactionId id) const {
        return open_ && open_->operation.plan().id == id;
    }
    /// Ranks are to be there at its end.
    [[nodiscard]] bool needs(core::HostIndex host) const {
        return open_ && open_->operation.plan().after.ranks_on(host) > 0;
    }

    /// Nothing follows when no resize is open. Each event is heard to its end before the next one:
    /// what an effect brings about at once waits.
    void tell(resize::Event event);
    /// Precondition: one is open.
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
