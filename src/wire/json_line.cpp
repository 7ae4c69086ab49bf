#include "wire/json_line.hpp"

#include "wire/parse_json.hpp"

namespace ductile::wire {

namespace {

// Encodes each byte from 0x80 on as UTF-8 encodes U+0080 .. U+00FF: two bytes, 110000xx 10xxxxxx.
std::string with_characters(const std::string& bytes) {
    std::string text;
    for (const char c : bytes) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte < 0x80) {
            text += c;
        } else {
            text += static_cast<char>(0xc0 | (byte >> 6));
            text += static_cast<char>(0x80 | (byte & 0x3f));
        }
    }
    return text;
}

std::string with_bytes(const std::string& text) {
    std::string bytes;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto first = static_cast<unsigned char>(text[i]);
        if (first < 0x80) {
            bytes += text[i];
            continue;
        }
        if (first > 0xc3 || i + 1 == text.size())
            throw InputError("a line of JSON holds a character beyond U+00FF, which is not a byte");
        const auto second = static_cast<unsigned char>(text[++i]);
        bytes += static_cast<char>(((first & 0x03) << 6) | (second & 0x3f));
    }
    return bytes;
}

template <class Change>
void change_strings(Json& json, const Change& change) {
    if (json.is_string()) {
        auto& text = json.get_ref<std::string&>();
        text = change(text);
    } else if (json.is_structured()) {
        for (auto& item : json) change_strings(item, change);
    }
}

}  // namespace

std::string to_line(Json json) {
    change_strings(json, with_characters);
    return json.dump(-1, ' ', true);
}

Json from_line(std::string_view line) {
    auto json = parse_json(line, "the line");
    change_strings(json, with_bytes);
    return json;
}

}  // namespace ductile::wire
