// The name of a world's key-value space.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ductile::pmi {

/// 128 random bits. The caller draws them.
struct RandomBits {
    std::uint64_t high = 0;
    std::uint64_t low = 0;
};

/// Names one world among all worlds that may ever meet. MPICH 5.0.2 names its shared memory after
/// this name, and aborts if two worlds with the same name connect. The name has 1 to 127
/// characters: letters, digits, '_' and '-'. It never begins with "singinit": an MPI uses this for
/// a process without a server.
class KvsName {
  public:
    /// RandomBits{0x1f, 2} gives "ductile_000000000000001f0000000000000002".
    explicit KvsName(RandomBits bits);
    /// A name from elsewhere; nullopt if it breaks a rule above.
    static std::optional<KvsName> from_text(std::string_view text);

    [[nodiscard]] const std::string& text() const { return text_; }
    auto operator<=>(const KvsName&) const = default;

  private:
    explicit KvsName(std::string text) : text_(std::move(text)) {}
    std::string text_;
};

}  // namespace ductile::pmi
