#include "wire/frame.hpp"

#include "wire/cbor_check.hpp"
#include "wire/fields.hpp"

namespace ductile::wire {

namespace {

constexpr std::size_t header_bytes = 4;

}  // namespace

std::string to_frame(const Message& message) {
    std::string frame(header_bytes, '\0');
    Json::to_cbor(message.content(), nlohmann::detail::output_adapter<char>(frame));
    const std::size_t length = frame.size() - header_bytes;
    if (length > limits::frame_bytes)
        throw Error("cannot send a message of " + std::to_string(length) + " bytes: the limit is " +
                    std::to_string(limits::frame_bytes));
    for (std::size_t i = 0; i < header_bytes; ++i)
        frame[i] = static_cast<char>((length >> (8 * i)) & 0xff);
    return frame;
}

std::optional<Message> FrameReader::next() {
    if (buffer_.size() - begin_ < header_bytes) return std::nullopt;
    std::size_t length = 0;
    for (std::size_t i = 0; i < header_bytes; ++i)
        length |= static_cast<std::size_t>(static_cast<unsigned char>(buffer_[begin_ + i]))
                  << (8 * i);
    if (length > max_bytes_)
        throw InputError("frame refused: it announces " + std::to_string(length) +
                         " bytes, the limit is " + std::to_string(max_bytes_));
    if (buffer_.size() - begin_ - header_bytes < length) return std::nullopt;
    const auto content = std::string_view(buffer_).substr(begin_ + header_bytes, length);
    check_cbor(content);
    auto message = Json::from_cbor(content, true, false);
    if (message.is_discarded()) throw InputError("frame refused: its content is not CBOR");
    begin_ += header_bytes + length;
    if (begin_ == buffer_.size()) {
        buffer_.clear();
        begin_ = 0;
    } else if (begin_ > (1u << 16)) {
        buffer_.erase(0, begin_);
        begin_ = 0;
    }
    return Message(std::move(message));
}

}  // namespace ductile::wire
