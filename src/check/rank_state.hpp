// Where a rank is, as it tells others. Pure.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

namespace ductile::check {

/// Text in a message of one size; what is longer is cut.
template <std::size_t n>
class ShortText {
  public:
    ShortText() = default;
    ShortText(std::string_view text)  // NOLINT(google-explicit-constructor)
        : size_(static_cast<std::uint8_t>(text.size() < n ? text.size() : n)) {
        static_assert(n < 256);
        text.copy(chars_.data(), size_);
    }
    /// Whatever the bytes of a message are, it stays within them.
    [[nodiscard]] std::string_view view() const {
        return {chars_.data(), size_ < n ? std::size_t{size_} : n};
    }
    [[nodiscard]] bool empty() const { return size_ == 0; }
    friend bool operator==(const ShortText& a, const ShortText& b) { return a.view() == b.view(); }

  private:
    std::array<char, n> chars_{};
    std::uint8_t size_ = 0;
};

/// Sent as it is: all ranks have the same library.
struct RankState {
    static constexpr std::size_t kept = 8;

    std::int32_t rank = 0;  ///< in the job
    bool resized = false;   ///< the job has been, so it counts from there
    bool newcomer = false;  ///< the job it sees is the first that it was in, and others were before
    bool waits = false;     ///< within a call, which is `call`; else after it
    std::int64_t seconds = 0;  ///< that it waits, or that it has made no call
    ShortText<40> call;        ///< empty: it has made none
    ShortText<160> about;      ///< " from rank 1, tag 7, on the job's communicator"
    /// Which of the collective calls since the resize it is in; 0: in none.
    std::int32_t collective = 0;
    std::int32_t collectives = 0;  ///< made on the job's communicator since the resize, or begun
    std::array<ShortText<40>, kept> first;  ///< the first of them
};
static_assert(std::is_trivially_copyable_v<RankState>);

/// "in MPI_Recv from rank 1, tag 7, on the job's communicator", and the like.
std::string where(const RankState& state);

/// " since the resize", or since the start.
std::string since_when(const RankState& state);

}  // namespace ductile::check
