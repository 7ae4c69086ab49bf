// The lines between `ductile nested-slurm` and its keepers.
#pragma once

#include <unistd.h>

#include <array>
#include <optional>
#include <string>

#include "cli/nested/keeper_messages.hpp"
#include "cluster/system_call.hpp"
#include "wire/json_line.hpp"

namespace ductile::cli {

inline constexpr std::size_t longest_keeper_line = 16U << 20U;

/// Writes a message. An error is ignored: if nobody reads, the other end has ended.
template <class Message>
void say(const os::Fd& to, Message message) {
    const auto line =
        wire::to_line(wire::encode_json(std::variant<Message>(std::move(message)))) + "\n";
    for (std::size_t done = 0; done < line.size();) {
        const auto written = ::write(to.get(), line.data() + done, line.size() - done);
        if (written < 0) return;
        done += static_cast<std::size_t>(written);
    }
}

template <class Family>
Family message_of(const std::string& line) {
    return wire::decode_json<Family>(wire::from_line(line));
}

/// Cuts what arrives into lines.
class KeeperLines {
  public:
    /// A line that has arrived; none: the next one is not complete.
    std::optional<std::string> take() {
        const auto end = text_.find('\n');
        if (end == std::string::npos) return std::nullopt;
        auto line = text_.substr(0, end);
        text_.erase(0, end + 1);
        return line;
    }
    /// Reads once. False at the end of `from`, and if a line is too long.
    bool read(const os::Fd& from) {
        std::array<char, 65536> part;
        const auto got = ::read(from.get(), part.data(), part.size());
        if (got <= 0) return false;
        text_.append(part.data(), static_cast<std::size_t>(got));
        return text_.size() <= longest_keeper_line;
    }
    /// Waits for a line; none: `from` has ended, or the deadline has passed.
    std::optional<std::string> next(const os::Fd& from, const cluster::Deadline& deadline) {
        while (true) {
            if (auto line = take()) return line;
            if (!cluster::wait_readable(from.get(), deadline.left_ms()) || !read(from))
                return std::nullopt;
        }
    }

  private:
    std::string text_;
};

}  // namespace ductile::cli
