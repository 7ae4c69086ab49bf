// The last of what a process has said, for the message about its end.
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
    /// Without line ends after it.
    [[nodiscard]] std::string text() const {
        return text_.substr(0, text_.find_last_not_of("\r\n") + 1);
    }

  private:
    std::string text_;
};

}  // namespace ductile::rms
