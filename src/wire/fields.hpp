// One description of a message's fields serves encoding, decoding and validation.
//
// A message type has a `name` and a member template `visit(V&)` that names each field with its
// bounds. The encoder writes each field. The decoder reads each field and checks its bounds. If a
// field is wrong, the error names the message and the field.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "ductile/error.hpp"
#include "wire/limits.hpp"

namespace ductile::wire {

using Json = nlohmann::json;

class Encoder {
  public:
    explicit Encoder(Json& out) : out_(out) {}

    template <class Number>
    void number(const char* key, Number& value, std::int64_t /*low*/, std::int64_t /*high*/) {
        out_[key] = static_cast<std::int64_t>(value);
    }
    template <class IdType>
    void id(const char* key, IdType& value) {
        out_[key] = value.value;
    }
    void flag(const char* key, bool& value) { out_[key] = value; }
    void seconds(const char* key, double& value) { out_[key] = value; }
    void real(const char* key, double& value, double /*low*/, double /*high*/) {
        out_[key] = value;
    }
    void text(const char* key, std::string& value, std::size_t /*max_bytes*/) { out_[key] = value; }
    void bytes(const char* key, std::string& value, std::size_t /*max_bytes*/) {
        out_[key] = Json::binary(std::vector<std::uint8_t>(value.begin(), value.end()));
    }
    void texts(const char* key, std::vector<std::string>& value, std::size_t, std::size_t) {
        out_[key] = value;
    }
    template <class IdType>
    void ids(const char* key, std::vector<IdType>& value, std::size_t) {
        Json list = Json::array();
        for (const auto& item : value) list.push_back(item.value);
        out_[key] = std::move(list);
    }
    template <class Enum>
    void choice(const char* key, Enum& value, const std::vector<std::string_view>& words) {
        out_[key] = words.at(static_cast<std::size_t>(value));
    }
    template <class Item>
    void list(const char* key, std::vector<Item>& value, std::size_t) {
        Json list = Json::array();
        for (auto& item : value) {
            Json one = Json::object();
            Encoder inner(one);
            item.visit(inner);
            list.push_back(std::move(one));
        }
        out_[key] = std::move(list);
    }
    template <class Object>
    void object(const char* key, Object& value) {
        auto& one = out_[key] = Json::object();
        Encoder inner(one);
        value.visit(inner);
    }
    template <class... Types>
    void message(const char* key, std::variant<Types...>& value);

  private:
    Json& out_;
};

class Decoder {
  public:
    Decoder(const Json& in, std::string place) : in_(in), place_(std::move(place)) {
        if (!in_.is_object()) throw InputError(place_ + " is not an object");
    }

    template <class Number>
    void number(const char* key, Number& value, std::int64_t low, std::int64_t high) {
        const auto read = integer(key);
        if (read < low || read > high)
            fail(key, "is " + std::to_string(read) + ", outside " + std::to_string(low) + ".." +
                          std::to_string(high));
        value = static_cast<Number>(read);
    }
    template <class IdType>
    void id(const char* key, IdType& value) {
        number(key, value.value, -1, limits::ids - 1);
    }
    void flag(const char* key, bool& value) {
        if (!at(key).is_boolean()) fail(key, "is not true or false");
        value = at(key).get<bool>();
    }
    void seconds(const char* key, double& value) {
        if (!at(key).is_number()) fail(key, "is not a number of seconds");
        value = at(key).get<double>();
        if (!(value >= 0 && value <= 1e9)) fail(key, "is not between 0 and 1e9 seconds");
    }
    void real(const char* key, double& value, double low, double high) {
        if (!at(key).is_number()) fail(key, "is not a number");
        value = at(key).get<double>();
        if (!(value >= low && value <= high))
            fail(key, "is not between " + Json(low).dump() + " and " + Json(high).dump());
    }
    void text(const char* key, std::string& value, std::size_t max_bytes) {
        if (!at(key).is_string()) fail(key, "is not text");
        value = at(key).get_ref<const std::string&>();
        if (value.size() > max_bytes)
            fail(key, "is longer than " + std::to_string(max_bytes) + " bytes");
    }
    void bytes(const char* key, std::string& value, std::size_t max_bytes) {
        if (!at(key).is_binary()) fail(key, "is not a byte string");
        const auto& data = at(key).get_binary();
        if (data.size() > max_bytes)
            fail(key, "is longer than " + std::to_string(max_bytes) + " bytes");
        value.assign(data.begin(), data.end());
    }
    void texts(const char* key, std::vector<std::string>& value, std::size_t max_items,
               std::size_t max_bytes) {
        value.clear();
        for (const auto& item : array(key, max_items)) {
            if (!item.is_string() || item.get_ref<const std::string&>().size() > max_bytes)
                fail(key, "holds an item that is not text of at most " + std::to_string(max_bytes) +
                              " bytes");
            value.push_back(item.get<std::string>());
        }
    }
    template <class IdType>
    void ids(const char* key, std::vector<IdType>& value, std::size_t max_items) {
        value.clear();
        for (const auto& item : array(key, max_items)) {
            if (!item.is_number_integer() || item.get<std::int64_t>() < -1 ||
                item.get<std::int64_t>() >= limits::ids)
                fail(key, "holds an item that is not an id");
            value.push_back(IdType{static_cast<decltype(IdType::value)>(item.get<std::int64_t>())});
        }
    }
    template <class Enum>
    void choice(const char* key, Enum& value, const std::vector<std::string_view>& words) {
        std::string word;
        text(key, word, limits::name_bytes);
        for (std::size_t i = 0; i < words.size(); ++i) {
            if (words[i] == word) {
                value = static_cast<Enum>(i);
                return;
            }
        }
        fail(key, "is the unknown word '" + word + "'");
    }
    template <class Item>
    void list(const char* key, std::vector<Item>& value, std::size_t max_items) {
        value.clear();
        for (const auto& one : array(key, max_items)) {
            Item item;
            Decoder inner(one, place_ + "." + key);
            item.visit(inner);
            value.push_back(std::move(item));
        }
    }
    template <class Object>
    void object(const char* key, Object& value) {
        Decoder inner(at(key), place_ + "." + key);
        value.visit(inner);
    }
    template <class... Types>
    void message(const char* key, std::variant<Types...>& value);

  private:
    const Json& at(const char* key) const {
        const auto it = in_.find(key);
        if (it == in_.end()) fail(key, "is missing");
        return *it;
    }
    std::int64_t integer(const char* key) const {
        const auto& value = at(key);
        if (!value.is_number_integer()) fail(key, "is not a whole number");
        if (value.is_number_unsigned() && value.get<std::uint64_t>() > INT64_MAX)
            fail(key, "is too large");
        return value.get<std::int64_t>();
    }
    const Json& array(const char* key, std::size_t max_items) const {
        const auto& value = at(key);
        if (!value.is_array()) fail(key, "is not a list");
        if (value.size() > max_items)
            fail(key, "holds more than " + std::to_string(max_items) + " items");
        return value;
    }
    [[noreturn]] void fail(const char* key, const std::string& why) const {
        throw InputError("message refused: " + place_ + "." + key + " " + why);
    }

    const Json& in_;
    std::string place_;
};

/// Encodes one message of a family. "type" holds its name.
template <class... Types>
Json encode_json(std::variant<Types...> message) {
    Json out = Json::object();
    std::visit(
        [&](auto& one) {
            out["type"] = std::string(std::remove_reference_t<decltype(one)>::name);
            Encoder encoder(out);
            one.visit(encoder);
        },
        message);
    return out;
}

/// Decodes into the family `Family`. Throws InputError that names message and field.
template <class Family>
struct Decode;

template <class... Types>
struct Decode<std::variant<Types...>> {
    static std::variant<Types...> from(const Json& in) {
        if (!in.is_object() || !in.contains("type") || !in["type"].is_string())
            throw InputError("message refused: it has no type");
        const auto& type = in["type"].get_ref<const std::string&>();
        std::variant<Types...> result;
        const bool known = (try_one<Types>(type, in, result) || ...);
        if (!known) throw InputError("message refused: unknown type '" + type.substr(0, 64) + "'");
        return result;
    }

  private:
    template <class One>
    static bool try_one(const std::string& type, const Json& in, std::variant<Types...>& result) {
        if (type != One::name) return false;
        One one;
        Decoder decoder(in, std::string(One::name));
        one.visit(decoder);
        result = std::move(one);
        return true;
    }
};

template <class Family>
Family decode_json(const Json& in) {
    return Decode<Family>::from(in);
}

template <class... Types>
void Encoder::message(const char* key, std::variant<Types...>& value) {
    out_[key] = encode_json(value);
}

template <class... Types>
void Decoder::message(const char* key, std::variant<Types...>& value) {
    value = decode_json<std::variant<Types...>>(at(key));
}

}  // namespace ductile::wire
