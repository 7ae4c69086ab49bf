// The ports on which new groups accept, by position of the group and by round.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace ductile::plan {

class PortTable {
  public:
    void add(int position, int round, std::string port) {
        ports_[{position, round}] = std::move(port);
    }
    void add(const PortTable& others) { ports_.insert(others.ports_.begin(), others.ports_.end()); }
    [[nodiscard]] std::size_t size() const { return ports_.size(); }
    /// Throws SystemError if the table has no such port.
    [[nodiscard]] const std::string& port(int position, int round) const;

    /// One line for each port: "POSITION ROUND PORT".
    [[nodiscard]] std::string to_text() const;
    /// Throws InputError for a text that to_text() does not write.
    static PortTable of_text(std::string_view text);

    bool operator==(const PortTable&) const = default;

  private:
    std::map<std::pair<int, int>, std::string> ports_;
};

}  // namespace ductile::plan
