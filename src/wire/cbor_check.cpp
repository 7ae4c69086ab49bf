#include "wire/cbor_check.hpp"

#include <array>
#include <cstdint>
#include <string>

#include "ductile/error.hpp"

namespace ductile::wire {

namespace {

enum class Major : std::uint8_t { positive, negative, bytes, text, list, map, tag, simple };

/// The first byte of an item, and the number that it encodes.
struct Head {
    Major major = Major::positive;
    std::uint8_t info = 0;
    std::uint64_t value = 0;
};

class Reader {
  public:
    explicit Reader(std::string_view bytes) : bytes_(bytes) {}

    [[nodiscard]] std::uint64_t left() const { return bytes_.size() - at_; }
    void skip(std::uint64_t count) { at_ += static_cast<std::size_t>(count); }

    Head head() {
        const auto first = byte();
        Head head{static_cast<Major>(first >> 5), static_cast<std::uint8_t>(first & 0x1f), 0};
        if (head.info < 24) {
            head.value = head.info;
        } else if (head.info < 28) {
            for (int i = 0; i < 1 << (head.info - 24); ++i) head.value = head.value << 8 | byte();
        } else {
            fail("holds an item of indefinite length");
        }
        return head;
    }

    [[noreturn]] void fail(const char* why) const {
        throw InputError("frame refused: byte " + std::to_string(at_) + " of its CBOR " + why);
    }

  private:
    std::uint8_t byte() {
        if (at_ == bytes_.size()) fail("is missing");
        return static_cast<std::uint8_t>(bytes_[at_++]);
    }

    std::string_view bytes_;
    std::size_t at_ = 0;
};

bool is_known_simple(std::uint8_t info) {
    constexpr std::uint8_t no = 20, yes = 21, null = 22, half = 25, single = 26, twice = 27;
    return info == no || info == yes || info == null || info == half || info == single ||
           info == twice;
}

/// The items that a list or map still expects. In a map, keys and values alternate.
struct Open {
    std::uint64_t items = 0;
    bool is_map = false;
};

}  // namespace

void check_cbor(std::string_view bytes) {
    Reader in(bytes);
    std::array<Open, max_cbor_depth> open{};
    std::size_t depth = 0;
    do {
        const auto head = in.head();
        if (depth > 0) {
            auto& around = open[depth - 1];
            if (around.is_map && around.items % 2 == 0 && head.major != Major::text)
                in.fail("ends a map's key that is not text");
            --around.items;
        }
        switch (head.major) {
            case Major::positive:
            case Major::negative:
                break;
            case Major::bytes:
            case Major::text:
                if (head.value > in.left()) in.fail("begins a string longer than the frame");
                in.skip(head.value);
                break;
            case Major::list:
            case Major::map: {
                const std::uint64_t each = head.major == Major::map ? 2 : 1;
                if (head.value > in.left() / each) in.fail("begins a list longer than the frame");
                if (depth == open.size()) in.fail("is nested too deep");
                open[depth++] = {head.value * each, head.major == Major::map};
                break;
            }
            case Major::tag:
                in.fail("ends a tag, which the protocol does not use");
            case Major::simple:
                if (!is_known_simple(head.info)) in.fail("ends an unknown simple value");
                break;
        }
        while (depth > 0 && open[depth - 1].items == 0) --depth;
    } while (depth > 0);
    if (in.left() > 0) in.fail("comes after the end of the message");
}

}  // namespace ductile::wire
