#include "wire/frame.hpp"

namespace ductile::wire {

namespace {

constexpr std::size_t header_bytes = 4;
constexpr int max_depth = 24;

// The parser recurses once a level: a bound on depth keeps a hostile frame from exhausting the
// stack.
class BoundedParser : public nlohmann::detail::json_sax_dom_parser<Json> {
    using Base = nlohmann::detail::json_sax_dom_parser<Json>;

  public:
    explicit BoundedParser(Json& out) : Base(out, false) {}
    bool start_object(std::size_t n) { return ++depth_ <= max_depth && Base::start_object(n); }
    bool end_object() { return --depth_ >= 0 && Base::end_object(); }
    bool start_array(std::size_t n) { return ++depth_ <= max_depth && Base::start_array(n); }
    bool end_array() { return --depth_ >= 0 && Base::end_array(); }

  private:
    int depth_ = 0;
};

}  // namespace

std::string to_frame(const Json& message) {
    std::string frame(header_bytes, '\0');
    Json::to_cbor(message, nlohmann::detail::output_adapter<char>(frame));
    const std::size_t length = frame.size() - header_bytes;
    if (length > limits::frame_bytes)
        throw Error("cannot send a message of " + std::to_string(length) + " bytes: the limit is " +
                    std::to_string(limits::frame_bytes));
    for (std::size_t i = 0; i < header_bytes; ++i)
        frame[i] = static_cast<char>((length >> (8 * i)) & 0xff);
    return frame;
}

std::optional<Json> FrameReader::next() {
    if (buffer_.size() - begin_ < header_bytes) return std::nullopt;
    std::size_t length = 0;
    for (std::size_t i = 0; i < header_bytes; ++i)
        length |= static_cast<std::size_t>(static_cast<unsigned char>(buffer_[begin_ + i]))
                  << (8 * i);
    if (length > max_bytes_)
        throw InputError("frame refused: it announces " + std::to_string(length) +
                         " bytes, the limit is " + std::to_string(max_bytes_));
    if (buffer_.size() - begin_ - header_bytes < length) return std::nullopt;
    const auto* first = buffer_.data() + begin_ + header_bytes;
    Json message;
    BoundedParser parser(message);
    if (!Json::sax_parse(first, first + length, &parser, Json::input_format_t::cbor))
        throw InputError("frame refused: its content is not CBOR, or nested too deep");
    begin_ += header_bytes + length;
    if (begin_ == buffer_.size()) {
        buffer_.clear();
        begin_ = 0;
    } else if (begin_ > (1u << 16)) {
        buffer_.erase(0, begin_);
        begin_ = 0;
    }
    return message;
}

}  // namespace ductile::wire
