// The last output of a process, for the message about its end.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace ductile::rms {

class OutputTail {
  public:
    static constexpr std::size_t most_bytes = 4096;

    void add(std::string_view piece) {
        text_ += piece;
        if (text_.size() > most_bytes) text_.erase(0, text_.size() - most_bytes);
    }
    /// The text without the newlines at its end.
    [[nodiscard]] std::string text() const {
        return text_.substr(0, text_.find_last_not_of("\r\n") + 1);
    }

  private:
    std::string text_;
};

}  // namespace ductile::rms
