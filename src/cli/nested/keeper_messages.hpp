// What `ductile nested-slurm` and its keepers (keeper.hpp) tell each other, one line of JSON each.
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "wire/fields.hpp"

namespace ductile::cli::keeper {

inline constexpr std::size_t most_files = 16;
inline constexpr std::size_t most_daemons = 16;
inline constexpr std::size_t file_bytes = 4U << 20U;

// --- from the keeper

/// Free TCP ports of the host, which the keeper holds until it starts the daemons, and its memory.
struct Resources {
    static constexpr std::string_view name = "resources";
    int slurmctld = 0, slurmdbd = 0, slurmd = 0;
    int memory_mib = 1;
    template <class V>
    void visit(V& v) {
        v.number("slurmctld", slurmctld, 1, 65535);
        v.number("slurmdbd", slurmdbd, 1, 65535);
        v.number("slurmd", slurmd, 1, 65535);
        v.number("memory_mib", memory_mib, 1, 1 << 30);
    }
};
/// All daemons are ready.
struct Ready {
    static constexpr std::string_view name = "ready";
    template <class V>
    void visit(V& /*v*/) {}
};
/// A daemon could not be started, or has ended. The keeper ends the others, and itself.
struct Failed {
    static constexpr std::string_view name = "failed";
    std::string why;
    template <class V>
    void visit(V& v) {
        v.text("why", why, wire::limits::text_bytes);
    }
};
using FromKeeper = std::variant<Resources, Ready, Failed>;

// --- to the keeper

struct File {
    std::string path;
    int mode = 0644;
    std::string text;
    template <class V>
    void visit(V& v) {
        v.text("path", path, wire::limits::text_bytes);
        v.number("mode", mode, 0, 0777);
        v.text("text", text, file_bytes);
    }
};
struct Daemon {
    std::string name;
    std::vector<std::string> argv;
    std::string output;        ///< the file for its standard output and error
    std::string ready_socket;  ///< as cluster::SlurmDaemon
    int ready_port = 0;
    template <class V>
    void visit(V& v) {
        v.text("name", name, wire::limits::name_bytes);
        v.texts("argv", argv, wire::limits::name_bytes, wire::limits::text_bytes);
        v.text("output", output, wire::limits::text_bytes);
        v.text("ready_socket", ready_socket, wire::limits::text_bytes);
        v.number("ready_port", ready_port, 0, 65535);
    }
};
struct Stage {
    std::vector<Daemon> daemons;
    template <class V>
    void visit(V& v) {
        v.list("daemons", daemons, most_daemons);
    }
};
struct Order {
    static constexpr std::string_view name = "order";
    /// Made first. At the end, those that were not there before are removed with their content.
    std::vector<std::string> own_folders;
    std::vector<std::string> folders;  ///< in own_folders
    std::vector<File> files;
    std::vector<std::string> environment;  ///< of the daemons, as NAME=VALUE
    std::vector<Stage> stages;  ///< a stage starts when the daemons of the one before are ready
    template <class V>
    void visit(V& v) {
        v.texts("own_folders", own_folders, most_files, wire::limits::text_bytes);
        v.texts("folders", folders, most_files, wire::limits::text_bytes);
        v.list("files", files, most_files);
        v.texts("environment", environment, wire::limits::name_bytes, wire::limits::text_bytes);
        v.list("stages", stages, most_daemons);
    }
};
using ToKeeper = std::variant<Order>;

}  // namespace ductile::cli::keeper
