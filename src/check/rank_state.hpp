// The state of a rank, as it reports it to others. Pure.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

namespace ductile::check {

/// Text of limited length in a message of fixed size. Longer text is cut.
template <std::size_t n>
class ShortText {
  public:
    ShortText() = default;
    ShortText(std::string_view text)  // NOLINT(google-explicit-constructor)
        : size_(static_cast<std::uint8_t>(text.size() < n ? text.size() : n)) {
        static_assert(n < 256);
        text.copy(chars_.data(), size_);
    }
    /// Never reads beyond `chars_`, even if `size_` in a received message is wrong.
    [[nodiscard]] std::string_view view() const {
        return {chars_.data(), size_ < n ? std::size_t{size_} : n};
    }
    [[nodiscard]] bool empty() const { return size_ == 0; }
    friend bool operator==(const ShortText& a, const ShortText& b) { return a.view() == b.view(); }

  private:
    std::array<char, n> chars_{};
    std::uint8_t size_ = 0;
};

/// Sent as raw bytes: all ranks have the same library.
struct RankState {
    static constexpr std::size_t kept = 8;

    std::int32_t rank = 0;     ///< in the job
    bool resized = false;      ///< the job has been resized, and calls are counted from the resize
    bool newcomer = false;     ///< this rank was added at the last resize
    bool waits = false;        ///< it waits within `call`; false: `call` has ended
    std::int64_t seconds = 0;  ///< how long it has waited, or how long ago its last call ended
    ShortText<40> call;        ///< empty: it has made no call
    ShortText<160> about;      ///< " from rank 1, tag 7, on the job's communicator"
    /// The number of its current collective call since the resize. 0: it is in none.
    std::int32_t collective = 0;
    std::int32_t collectives = 0;  ///< made or begun on the job's communicator since the resize
    std::array<ShortText<40>, kept> first;  ///< the first of these calls
};
static_assert(std::is_trivially_copyable_v<RankState>);

/// "in MPI_Recv from rank 1, tag 7, on the job's communicator", and the like.
std::string where(const RankState& state);

/// " since the resize", or since the start.
std::string since_when(const RankState& state);

}  // namespace ductile::check
