// What a rank says on one line, as a value.
#pragma once

#include <string>
#include <string_view>
#include <variant>

namespace ductile::pmi {

struct Init {
    bool operator==(const Init&) const = default;
};
struct GetMaxes {
    bool operator==(const GetMaxes&) const = default;
};
struct GetUniverseSize {
    bool operator==(const GetUniverseSize&) const = default;
};
struct GetAppnum {
    bool operator==(const GetAppnum&) const = default;
};
struct GetMyKvsname {
    bool operator==(const GetMyKvsname&) const = default;
};
struct Put {
    std::string kvsname, key, value;
    bool operator==(const Put&) const = default;
};
struct Get {
    std::string kvsname, key;
    bool operator==(const Get&) const = default;
};
struct BarrierIn {
    bool operator==(const BarrierIn&) const = default;
};
struct PublishName {
    std::string service, port;
    bool operator==(const PublishName&) const = default;
};
struct UnpublishName {
    std::string service;
    bool operator==(const UnpublishName&) const = default;
};
struct LookupName {
    std::string service;
    bool operator==(const LookupName&) const = default;
};
struct Finalize {
    bool operator==(const Finalize&) const = default;
};
struct Abort {
    int code = 1;
    bool operator==(const Abort&) const = default;
};
/// `mcmd=spawn`: the lines up to `endcmd` belong to it (spawn_reader.hpp).
struct BeginSpawn {
    bool operator==(const BeginSpawn&) const = default;
};
/// Not a line of PMI-1, or one that is not served.
struct Refused {
    std::string why;  ///< "gives a key of 70 bytes, and 63 are allowed"; follows "rank 3 "
    bool operator==(const Refused&) const = default;
};

using Command =
    std::variant<Init, GetMaxes, GetUniverseSize, GetAppnum, GetMyKvsname, Put, Get, BarrierIn,
                 PublishName, UnpublishName, LookupName, Finalize, Abort, BeginSpawn, Refused>;

/// Reads a line `cmd=NAME key=value ...` without its newline. A value ends at the next space; the
/// last value that a command has runs to the end of the line and may hold spaces and '=';
/// `service=` runs to ` port=`. Values keep an MPI's escapes, so that they go back as they came.
/// Never throws for what the line holds; the result is bounded by limits.hpp.
///
/// Example: `cmd=put kvsname=w key=a value=b c=d` is Put{"w", "a", "b c=d"}.
Command parse_command(std::string_view line);

}  // namespace ductile::pmi
