// A resize that the program asks for itself: the rank's question to the broker, and the answer.
#pragma once

#include <mutex>

#include "ductile/resize_answer.hpp"
#include "engine/agent_channel.hpp"

namespace ductile::engine {

/// What is known is of the last one.
class AskedResize {
  public:
    /// Sends the request, which waits to be answered at its end. Without a broker it is lost.
    void ask(AgentChannel& link, wire::ResizeRequest request);
    /// From the link's thread.
    void on_message(const wire::ToRank& message);
    [[nodiscard]] ResizeAnswer answer() const;

  private:
    void on_answer(const wire::ResizeAnswered& answered);
    void on_broker(bool is_there);

    mutable std::mutex mutex_;
    bool has_broker_ = true;
    int number_ = 0;  ///< of the last one
    ResizeAnswer answer_;
};

}  // namespace ductile::engine
