// A fake agent, which keeps the messages of a rank.
#pragma once

#include <mutex>
#include <optional>
#include <vector>

#include "engine/agent_channel.hpp"

namespace ductile::engine {

class FakeChannel final : public AgentChannel {
  public:
    wire::RankWelcome answer;
    int waits_for_input = 0;

    [[nodiscard]] const wire::RankWelcome& welcome() const override { return answer; }
    void send(const wire::FromRank& message) override {
        const std::lock_guard lock(mutex_);
        said_.push_back(message);
    }
    void set_ticking(bool on) override {
        const std::lock_guard lock(mutex_);
        ticks_ = on;
    }
    void wait_for_input(std::chrono::milliseconds) override { ++waits_for_input; }

    [[nodiscard]] bool ticks() {
        const std::lock_guard lock(mutex_);
        return ticks_;
    }
    /// The messages since the last call.
    std::vector<wire::FromRank> take() {
        const std::lock_guard lock(mutex_);
        return std::exchange(said_, {});
    }
    /// The message since the last call, if there was only one, and it has this type.
    template <class Message>
    std::optional<Message> take_only() {
        const auto all = take();
        if (all.size() != 1 || !std::holds_alternative<Message>(all.front())) return std::nullopt;
        return std::get<Message>(all.front());
    }
    /// Whether a message of this type has come since the last take().
    template <class Message>
    bool has_said() {
        const std::lock_guard lock(mutex_);
        for (const auto& one : said_)
            if (std::holds_alternative<Message>(one)) return true;
        return false;
    }

  private:
    std::mutex mutex_;
    std::vector<wire::FromRank> said_;
    bool ticks_ = false;
};

}  // namespace ductile::engine
