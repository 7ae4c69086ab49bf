// Hosts as people name them: "node02", or "node02:2".
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace ductile::core {

/// The most slots that a host can have.
inline constexpr int most_slots = 1 << 20;

/// A host, and how many of its ranks or slots are meant.
struct HostShare {
    std::string host;
    std::optional<int> ranks = std::nullopt;  ///< no number is given
    bool operator==(const HostShare&) const = default;
};

/// Capitals and small letters do not differ.
bool is_same_host(std::string_view a, std::string_view b);

/// Whether the job has a host of this name.
using IsHost = std::function<bool(std::string_view)>;
/// For words that are read without a job.
inline bool is_no_host(std::string_view /*name*/) {
    return false;
}

/// Reads NAME, NAME:NUMBER, [ADDRESS] or [ADDRESS]:NUMBER. An IPv6 address has colons of its own.
/// So a word that is a host of the job has no number. Otherwise the last colon begins the number if
/// a host is named before it, or if there is no other colon. nullopt: nothing is named, or the
/// number is not from 1 to most_slots.
std::optional<HostShare> read_host_share(std::string_view word, const IsHost& is_host);

/// For read_host_share(), which needs no host of the job to read this.
std::string to_string(const HostShare& share);

}  // namespace ductile::core
