// A command that a rank sends on one line, as a value.
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
/// `mcmd=spawn`. The lines up to `endcmd` belong to it (spawn_reader.hpp).
struct BeginSpawn {
    bool operator==(const BeginSpawn&) const = default;
};
enum class NameQuestion { publish, unpublish, lookup };
/// A question about a name that cannot be asked. A program can cause this by a call of MPI, so it
/// is answered with an error.
struct BadName {
    NameQuestion question{};
    std::string why;  ///< follows "MPI_Publish_name by rank 3 fails: "
    bool operator==(const BadName&) const = default;
};
/// A line that is not PMI-1, or a command that is not served.
struct Refused {
    std::string why;  ///< "gives a key of 70 bytes, and 63 are allowed"; follows "rank 3 "
    bool operator==(const Refused&) const = default;
};

using Command = std::variant<Init, GetMaxes, GetUniverseSize, GetAppnum, GetMyKvsname, Put, Get,
                             BarrierIn, PublishName, UnpublishName, LookupName, Finalize, Abort,
                             BeginSpawn, BadName, Refused>;

/// Reads a line `cmd=NAME key=value ...` without its newline. The name of a service may have
/// newlines in it: then the text has several lines. A value ends at the next space, with
/// these exceptions. The values of `value=` and `port=`, and of `service=` in unpublish_name and
/// lookup_name, end at the end of the line and may contain spaces and '='. The value of `service=`
/// in publish_name ends at ` port=`. Values keep the escapes of the MPI, so they return
/// unchanged to the MPI. Never throws because of the line's content. limits.hpp bounds the result.
///
/// Example: `cmd=put kvsname=w key=a value=b c=d` is Put{"w", "a", "b c=d"}.
Command parse_command(std::string_view line);

}  // namespace ductile::pmi
