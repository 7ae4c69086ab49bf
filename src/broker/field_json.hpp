// Writes plain data with `fields` (src/resize/fields.hpp) as JSON, and reads it. Reading checks
// every bound.
#pragma once

#include <cmath>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "ductile/error.hpp"
#include "resize/fields.hpp"
#include "resize/resize_operation.hpp"

namespace ductile::broker {

using resize::fields_of;

/// The number of values of an enumeration.
template <class Enum>
inline constexpr int values_of = 0;
template <>
inline constexpr int values_of<plan::Method> = 2;
template <>
inline constexpr int values_of<plan::Start> = 5;
template <>
inline constexpr int values_of<plan::Overlap> = 2;
template <>
inline constexpr int values_of<plan::Executor> = plan::executor_choices.size();
template <>
inline constexpr int values_of<plan::Readiness> = 2;
template <>
inline constexpr int values_of<plan::Joining> = plan::all_joinings.size();
template <>
inline constexpr int values_of<plan::Memory> = plan::all_memories.size();
template <>
inline constexpr int values_of<plan::RankOrder> = plan::all_rank_orders.size();
template <>
inline constexpr int values_of<resize::Starting::Stage> = 4;
template <>
inline constexpr int values_of<resize::ResizeCourse::Due> = 6;

class FieldWriter {
  public:
    explicit FieldWriter(nlohmann::json& out) : out_(out) {}
    template <class T>
    void operator()(const char* key, T& value) {
        out_[key] = to_json(value);
    }

    template <class T>
    static nlohmann::json object(T& value) {
        auto json = nlohmann::json::object();
        FieldWriter writer(json);
        if constexpr (requires { value.fields(writer); })
            value.fields(writer);
        else
            fields_of(writer, value);
        return json;
    }

  private:
    template <class T>
    static nlohmann::json to_json(T& value) {
        if constexpr (std::is_enum_v<T>)
            return static_cast<int>(value);
        else if constexpr (std::is_arithmetic_v<T> || std::is_same_v<T, std::string>)
            return value;
        else
            return object(value);
    }
    template <class Tag, class Number>
    static nlohmann::json to_json(core::Id<Tag, Number>& id) {
        return id.value;
    }
    template <class T>
    static nlohmann::json to_json(std::optional<T>& value) {
        auto list = nlohmann::json::array();
        if (value) list.push_back(to_json(*value));
        return list;
    }
    template <class... Ts>
    static nlohmann::json to_json(std::variant<Ts...>& value) {
        auto inner = std::visit([](auto& one) { return to_json(one); }, value);
        return nlohmann::json::array({static_cast<int>(value.index()), std::move(inner)});
    }
    template <class A, class B>
    static nlohmann::json to_json(std::pair<A, B>& value) {
        return nlohmann::json::array({to_json(value.first), to_json(value.second)});
    }
    template <class T>
    static nlohmann::json to_json(std::vector<T>& values) {
        return list(values);
    }
    template <class T>
    static nlohmann::json to_json(std::set<T>& values) {
        return list(values);
    }
    template <class K, class T>
    static nlohmann::json to_json(std::map<K, T>& values) {
        return list(values);
    }
    template <class List>
    static nlohmann::json list(List& values) {
        auto json = nlohmann::json::array();
        for (const auto& one : values) {
            if constexpr (requires { typename List::mapped_type; }) {
                std::pair pair(one.first, one.second);
                json.push_back(to_json(pair));
            } else {
                auto copy = one;
                json.push_back(to_json(copy));
            }
        }
        return json;
    }

    nlohmann::json& out_;
};

/// Throws InputError that names the field if a field is missing, of a wrong type or out of its
/// bounds.
class FieldReader {
  public:
    FieldReader(const nlohmann::json& in, std::string place) : in_(in), place_(std::move(place)) {
        if (!in_.is_object()) fail("is not an object");
    }
    template <class T>
    void operator()(const char* key, T& value) {
        const auto found = in_.find(key);
        FieldReader one(*this, key);
        if (found == in_.end()) one.fail("is missing");
        one.read(*found, value);
    }

    template <class T>
    static void object(const nlohmann::json& in, const std::string& place, T& value) {
        FieldReader reader(in, place);
        if constexpr (requires { value.fields(reader); })
            value.fields(reader);
        else
            fields_of(reader, value);
    }

  private:
    FieldReader(const FieldReader& outer, const std::string& key)
        : in_(outer.in_), place_(outer.place_ + "." + key) {}

    static constexpr std::size_t most_items = std::size_t{1} << 20;
    static constexpr std::size_t most_bytes = 256u << 10;

    [[noreturn]] void fail(const std::string& what) const { throw InputError(place_ + " " + what); }

    std::int64_t integer(const nlohmann::json& in, std::int64_t low, std::int64_t high) const {
        if (!in.is_number_integer()) fail("is not a whole number");
        const auto value = in.get<std::int64_t>();
        if (value < low || value > high) fail("is out of its bounds");
        return value;
    }
    template <class T>
    void read(const nlohmann::json& in, T& value) const {
        if constexpr (std::is_enum_v<T>) {
            static_assert(values_of<T> > 0);
            value = static_cast<T>(integer(in, 0, values_of<T> - 1));
        } else if constexpr (std::is_same_v<T, bool>) {
            if (!in.is_boolean()) fail("is not true or false");
            value = in.get<bool>();
        } else if constexpr (std::is_floating_point_v<T>) {
            if (!in.is_number()) fail("is not a number");
            value = in.get<T>();
            if (!(value >= 0 && value <= 1e9)) fail("is out of its bounds");
        } else if constexpr (std::is_integral_v<T>) {
            value = static_cast<T>(
                integer(in, -1, sizeof(T) == 4 ? INT32_MAX : std::int64_t{INT64_MAX}));
        } else if constexpr (std::is_same_v<T, std::string>) {
            if (!in.is_string()) fail("is not a text");
            value = in.get<std::string>();
            if (value.size() > most_bytes) fail("is too long");
        } else {
            object(in, place_, value);
        }
    }
    template <class Tag, class Number>
    void read(const nlohmann::json& in, core::Id<Tag, Number>& id) const {
        read(in, id.value);
    }
    const nlohmann::json& array(const nlohmann::json& in, std::size_t low, std::size_t high) const {
        if (!in.is_array() || in.size() < low || in.size() > high)
            fail("is not a list of " + std::to_string(low) + " to " + std::to_string(high));
        return in;
    }
    template <class T>
    void read(const nlohmann::json& in, std::optional<T>& value) const {
        value.reset();
        if (!array(in, 0, 1).empty()) read(in.front(), value.emplace());
    }
    template <class... Ts>
    void read(const nlohmann::json& in, std::variant<Ts...>& value) const {
        array(in, 2, 2);
        const auto index = integer(in.front(), 0, sizeof...(Ts) - 1);
        std::int64_t at = 0;
        static_cast<void>(
            ((at++ == index && (read(in.back(), value.template emplace<Ts>()), true)) || ...));
    }
    template <class A, class B>
    void read(const nlohmann::json& in, std::pair<A, B>& value) const {
        array(in, 2, 2);
        read(in.front(), value.first), read(in.back(), value.second);
    }
    template <class T>
    void read(const nlohmann::json& in, std::vector<T>& values) const {
        values.clear();
        for (const auto& one : array(in, 0, most_items)) read(one, values.emplace_back());
    }
    template <class T>
    void read(const nlohmann::json& in, std::set<T>& values) const {
        values.clear();
        for (const auto& one : array(in, 0, most_items)) {
            T value{};
            read(one, value);
            values.insert(std::move(value));
        }
    }
    template <class K, class T>
    void read(const nlohmann::json& in, std::map<K, T>& values) const {
        values.clear();
        for (const auto& one : array(in, 0, most_items)) {
            std::pair<K, T> value;
            read(one, value);
            values.insert(std::move(value));
        }
    }

    const nlohmann::json& in_;
    std::string place_;
};

}  // namespace ductile::broker
