#include "cli/site_file.hpp"

#include <fmt/format.h>
#include <pwd.h>

#include <charconv>
#include <map>
#include <optional>
#include <vector>

#include "cli/settings.hpp"
#include "cli/small_file.hpp"
#include "ductile/error.hpp"

namespace ductile::cli {

namespace {

/// The values of the file. A message names their place.
class Values {
  public:
    Values(std::string_view text, const std::string& file)
        : file_(file),
          values_(parse_values(
              text, file, {"host", "port", "user", "munge-socket", "listen", "policy", "state"})) {}

    [[nodiscard]] std::string text(const std::string& name, const std::string& standard) const {
        const auto value = values_.find(name);
        return value == values_.end() ? standard : value->second.text;
    }
    [[nodiscard]] std::string required(const std::string& name) const {
        if (!values_.contains(name)) throw InputError(file_ + ":1: " + name + " is missing");
        return values_.at(name).text;
    }
    /// Precondition: the file has this value.
    [[noreturn]] void fail(const std::string& name, const std::string& why) const {
        throw InputError(values_.at(name).place + " " + why);
    }

  private:
    const std::string& file_;
    std::map<std::string, Given> values_;
};

template <class Number>
std::optional<Number> number_in(const std::string& text) {
    Number number = 0;
    const auto* end = text.data() + text.size();
    const auto read = std::from_chars(text.data(), end, number);
    if (read.ec != std::errc() || read.ptr != end) return std::nullopt;
    return number;
}

std::optional<std::uint32_t> user_named(const std::string& name) {
    if (const auto number = number_in<std::uint32_t>(name)) return number;
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
    const Values values(text, file);
    SiteFile site;
    const auto user = values.required("user");
    const auto number = user_named(user);
    if (!number) values.fail("user", fmt::format("is '{}', and there is no such user here", user));
    const auto port = number_in<std::uint16_t>(values.required("port"));
    if (!port || *port == 0) values.fail("port", "is not from 1 to 65535");
    site.address = {values.required("host"), *port, *number, values.text("munge-socket", "")};
    const auto sharing = policy::sharing_kind_named(values.text("policy", "natural"));
    if (!sharing) values.fail("policy", "is neither 'natural' nor 'average'");
    site.settings = {values.text("listen", ""), site.address.port, site.address.munge_socket,
                     *sharing, values.text("state", "/var/lib/ductile")};
    return site;
}

SiteFile read_site_file(const std::string& path) {
    return parse_site_file(read_small_file(path, "the site's settings"), path);
}

}  // namespace ductile::cli
