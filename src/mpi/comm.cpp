#include "mpi/comm.hpp"

#include <charconv>
#include <mutex>

namespace ductile::mpi {

Comm Comm::adopt(MPI_Comm raw) {
    Comm comm;
    comm.raw_ = raw;
    if (raw != MPI_COMM_NULL)
        check(MPI_Comm_set_errhandler(raw, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
    return comm;
}

Comm& Comm::operator=(Comm&& other) noexcept {
    if (this != &other) {
        reset();
        raw_ = other.release();
    }
    return *this;
}

void Comm::reset() noexcept {
    if (raw_ != MPI_COMM_NULL && is_running()) MPI_Comm_free(&raw_);
    raw_ = MPI_COMM_NULL;
}

int Comm::rank() const {
    int rank = 0;
    check(MPI_Comm_rank(raw_, &rank), "MPI_Comm_rank");
    return rank;
}

int Comm::size() const {
    int size = 0;
    check(MPI_Comm_size(raw_, &size), "MPI_Comm_size");
    return size;
}

Comm Comm::duplicate() const {
    return mpi::duplicate(raw_);
}

Comm Comm::split(int color, int key) const {
    MPI_Comm made = MPI_COMM_NULL;
    check(MPI_Comm_split(raw_, color, key, &made), "MPI_Comm_split");
    return adopt(made);
}

Comm duplicate(MPI_Comm other) {
    MPI_Comm made = MPI_COMM_NULL;
    check(MPI_Comm_dup(other, &made), "MPI_Comm_dup");
    return Comm::adopt(made);
}

Comm duplicate_self() {
    static std::mutex turn;
    const std::lock_guard lock(turn);
    return duplicate(MPI_COMM_SELF);
}

Comm intercomm_create(const Comm& local, int local_leader, MPI_Comm bridge, int remote_leader,
                      int tag) {
    MPI_Comm made = MPI_COMM_NULL;
    check(MPI_Intercomm_create(local.get(), local_leader, bridge, remote_leader, tag, &made),
          "MPI_Intercomm_create");
    return Comm::adopt(made);
}

Comm merge(const Comm& intercomm, bool high) {
    MPI_Comm made = MPI_COMM_NULL;
    check(MPI_Intercomm_merge(intercomm.get(), high ? 1 : 0, &made), "MPI_Intercomm_merge");
    return Comm::adopt(made);
}

Comm create_group(const Comm& parent, const std::vector<int>& ranks, int tag) {
    MPI_Group all = MPI_GROUP_NULL;
    MPI_Group some = MPI_GROUP_NULL;
    check(MPI_Comm_group(parent.get(), &all), "MPI_Comm_group");
    int code = MPI_Group_incl(all, static_cast<int>(ranks.size()), ranks.data(), &some);
    MPI_Group_free(&all);
    check(code, "MPI_Group_incl");
    MPI_Comm made = MPI_COMM_NULL;
    code = MPI_Comm_create_group(parent.get(), some, tag, &made);
    MPI_Group_free(&some);
    check(code, "MPI_Comm_create_group");
    return Comm::adopt(made);
}

void take_error_handler(MPI_Comm from, const Comm& to) {
    MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
    check(MPI_Comm_get_errhandler(from, &handler), "MPI_Comm_get_errhandler");
    const int code = MPI_Comm_set_errhandler(to.get(), handler);
    MPI_Errhandler_free(&handler);
    check(code, "MPI_Comm_set_errhandler");
}

std::optional<int> port_number(std::string_view port) {
    constexpr std::string_view key = "tag#";
    const auto at = port.find(key);
    if (at == port.npos) return std::nullopt;
    int number = 0;
    const auto digits = port.substr(at + key.size());
    const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    return read.ec == std::errc() ? std::optional(number) : std::nullopt;
}

std::string open_port(int least) {
    char name[MPI_MAX_PORT_NAME] = {};
    do check(MPI_Open_port(MPI_INFO_NULL, name), "MPI_Open_port");
    while (port_number(name).value_or(least) < least);
    return name;
}

Comm accept(const std::string& port, const Comm& local) {
    MPI_Comm made = MPI_COMM_NULL;
    check(MPI_Comm_accept(port.c_str(), MPI_INFO_NULL, 0, local.get(), &made), "MPI_Comm_accept");
    return Comm::adopt(made);
}

Comm connect(const std::string& port, const Comm& local) {
    MPI_Comm made = MPI_COMM_NULL;
    check(MPI_Comm_connect(port.c_str(), MPI_INFO_NULL, 0, local.get(), &made), "MPI_Comm_connect");
    return Comm::adopt(made);
}

}  // namespace ductile::mpi
