#include "mpi/spawn.hpp"

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

}  // namespace

Comm spawn(const SpawnWhat& what, const Comm& over) {
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
