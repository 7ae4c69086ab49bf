#include "mpi/spawn.hpp"

#include <charconv>
#include <cstdlib>
#include <sstream>
#include <vector>

namespace ductile::mpi {

namespace {

/// Owns an info object.
class Info {
  public:
    Info() { check(MPI_Info_create(&raw_), "MPI_Info_create"); }
    ~Info() { MPI_Info_free(&raw_); }
    Info(const Info&) = delete;
    Info& operator=(const Info&) = delete;
    void set(const char* key, const std::string& value) {
        check(MPI_Info_set(raw_, key, value.c_str()), "MPI_Info_set");
    }
    [[nodiscard]] MPI_Info get() const { return raw_; }

  private:
    MPI_Info raw_ = MPI_INFO_NULL;
};

struct Entry {
    std::string host;  ///< NAME:RANKS
    int ranks = 0;
};

std::vector<Entry> entries_of(const std::string& hosts) {
    std::vector<Entry> entries;
    std::istringstream words(hosts);
    for (std::string word; std::getline(words, word, ',');) {
        Entry entry{word, 0};
        const auto* const end = word.data() + word.size();
        const auto read = std::from_chars(word.data() + word.rfind(':') + 1, end, entry.ranks);
        if (read.ec != std::errc() || read.ptr != end || entry.ranks < 1)
            throw InputError("cannot spawn on '" + word + "', which is not NAME:RANKS");
        entries.push_back(std::move(entry));
    }
    return entries;
}

// By default Open MPI binds the ranks of a spawn of one or two ranks to a core each, as if the host
// had no other groups. The variable of the job has no effect on spawned ranks, so they get this
// info.
std::string binding() {
    const char* users = std::getenv("OMPI_MCA_hwloc_base_binding_policy");
    return users == nullptr ? "none" : users;
}

// The ranks are in the order of the entries. The launcher's own order of the hosts does not matter.
Comm spawn_by_entry(const SpawnWhat& what, const Comm& over) {
    const auto entries = entries_of(what.hosts);
    std::vector<Info> owned(entries.size());
    std::vector<MPI_Info> infos;
    std::vector<int> ranks;
    std::string command = what.command;
    std::vector<char*> commands(entries.size(), command.data());
    for (std::size_t i = 0; i < entries.size(); ++i) {
        owned[i].set("add-host", entries[i].host);
        owned[i].set("host", entries[i].host);
        owned[i].set("bind_to", binding());
        infos.push_back(owned[i].get());
        ranks.push_back(entries[i].ranks);
    }
    MPI_Comm made = MPI_COMM_NULL;
    check(MPI_Comm_spawn_multiple(static_cast<int>(entries.size()), commands.data(), MPI_ARGVS_NULL,
                                  ranks.data(), infos.data(), 0, over.get(), &made,
                                  MPI_ERRCODES_IGNORE),
          "MPI_Comm_spawn_multiple");
    return Comm::adopt(made);
}

}  // namespace

Comm spawn(const SpawnWhat& what, const Comm& over) {
    if (what.naming == SpawnHosts::by_entry) return spawn_by_entry(what, over);
    Info info;
    info.set("hosts", what.hosts);
    MPI_Comm made = MPI_COMM_NULL;
    check(MPI_Comm_spawn(what.command.c_str(), MPI_ARGV_NULL, what.ranks, info.get(), 0, over.get(),
                         &made, MPI_ERRCODES_IGNORE),
          "MPI_Comm_spawn");
    return Comm::adopt(made);
}

Comm take_parent() {
    MPI_Comm parent = MPI_COMM_NULL;
    check(MPI_Comm_get_parent(&parent), "MPI_Comm_get_parent");
    return parent == MPI_COMM_NULL ? Comm() : Comm::adopt(parent);
}

}  // namespace ductile::mpi
