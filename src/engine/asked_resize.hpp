// A resize that the program itself requests: the request to the broker, and the answer.
#pragma once

#include <mutex>

#include "ductile/resize_answer.hpp"
#include "engine/agent_channel.hpp"

namespace ductile::engine {

/// Holds the state of the last request only.
class AskedResize {
  public:
    /// Sends the request. The broker answers when it refuses the request, or when the resize ends.
    /// Without a broker the request is not sent, and its state is `lost`. If the broker ends before
    /// it answers, the state is `lost`, too: the next broker may carry the request out, but does
    /// not know which rank asked.
    void ask(AgentChannel& link, wire::ResizeRequest request);
    /// Called by the link's thread.
    void on_message(const wire::ToRank& message);
    [[nodiscard]] ResizeAnswer answer() const;

  private:
    void on_answer(const wire::ResizeAnswered& answered);
    void on_broker(bool is_there);

    mutable std::mutex mutex_;
    bool has_broker_ = true;
    int number_ = 0;  ///< of the last request
    ResizeAnswer answer_;
};

}  // namespace ductile::engine
