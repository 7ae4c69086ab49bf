#include "cli/site_file.hpp"

#include <fmt/format.h>
#include <pwd.h>
#include <toml++/toml.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <vector>

#include "cli/small_file.hpp"
#include "ductile/error.hpp"

namespace ductile::cli {

namespace {

constexpr std::array<std::string_view, 7> known_keys{"host",   "port",   "user", "munge_socket",
                                                     "listen", "policy", "state"};

class Table {
  public:
    Table(const toml::table& table, const std::string& file) : table_(table), file_(file) {}

    [[noreturn]] void fail(std::string_view key, std::string_view why) const {
        const toml::node* node = table_.get(key);
        const auto line = (node == nullptr ? table_.source() : node->source()).begin.line;
        throw InputError(
            fmt::format("{}:{}: {} {}", file_, std::max<std::size_t>(line, 1), key, why));
    }
    [[nodiscard]] std::string text(std::string_view key, std::string standard) const {
        const auto* node = table_.get(key);
        if (node == nullptr) return standard;
        auto value = node->value_exact<std::string>();
        if (!value || value->empty()) fail(key, "is not a text in quotes");
        return *std::move(value);
    }
    [[nodiscard]] std::string required(std::string_view key) const {
        if (!table_.contains(key)) fail(key, "is missing");
        return text(key, {});
    }
    [[nodiscard]] std::uint16_t port(std::string_view key) const {
        if (!table_.contains(key)) fail(key, "is missing");
        const auto value = table_.get(key)->value_exact<std::int64_t>();
        if (!value || *value < 1 || *value > UINT16_MAX) fail(key, "is not from 1 to 65535");
        return static_cast<std::uint16_t>(*value);
    }

  private:
    const toml::table& table_;
    const std::string& file_;
};

std::optional<std::uint32_t> user_named(const std::string& name) {
    std::uint32_t number = 0;
    const auto* end = name.data() + name.size();
    const auto read = std::from_chars(name.data(), end, number);
    if (read.ec == std::errc() && read.ptr == end) return number;
    constexpr std::size_t bytes = 16384;
    std::vector<char> buffer(bytes);
    struct passwd entry {};
    struct passwd* found = nullptr;
    if (::getpwnam_r(name.c_str(), &entry, buffer.data(), buffer.size(), &found) != 0 ||
        found == nullptr)
        return std::nullopt;
    return found->pw_uid;
}

}  // namespace

SiteFile parse_site_file(std::string_view text, const std::string& file) {
    toml::table parsed;
    try {
        parsed = toml::parse(text);
    } catch (const toml::parse_error& error) {
        throw InputError(
            fmt::format("{}:{}: {}", file, error.source().begin.line, error.description()));
    }
    const Table table(parsed, file);
    for (const auto& [key, node] : parsed)
        if (std::ranges::find(known_keys, key.str()) == known_keys.end())
            table.fail(key.str(), "is not known");
    SiteFile site;
    const auto user = table.required("user");
    const auto number = user_named(user);
    if (!number) table.fail("user", fmt::format("is '{}', and there is no such user here", user));
    site.address = {table.required("host"), table.port("port"), *number,
                    table.text("munge_socket", "")};
    const auto sharing = policy::sharing_kind_named(table.text("policy", "natural"));
    if (!sharing) table.fail("policy", "is neither 'natural' nor 'average'");
    site.settings = {table.text("listen", ""), site.address.port, site.address.munge_socket,
                     *sharing, table.text("state", "/var/lib/ductile")};
    return site;
}

SiteFile read_site_file(const std::string& path) {
    return parse_site_file(read_small_file(path, "the site's settings"), path);
}

}  // namespace ductile::cli
