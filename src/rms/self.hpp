// Where this program is, where its companions are, and how other machines reach this machine.
#pragma once

#include <string>
#include <vector>

namespace ductile::rms {

/// Absolute path of the running executable.
std::string self_path();
/// Absolute path of a companion program: <directory of the executable>/../libexec/ductile/NAME. The
/// executable itself may also be in libexec/ductile.
std::string companion(const std::string& name);
/// gethostname, at most 255 bytes.
std::string host_name();
/// Whether this name or numeric address is one of this machine: localhost, its host name with or
/// without the domain, a loopback address, an address of own_addresses(). May ask the system for
/// the domain of this machine.
bool is_this_machine(const std::string& name);
/// The host name, the boot id and the /dev/shm of this machine as one text. (A container may have
/// its own host name and /dev/shm.) Two programs that get equal texts run where MPI processes can
/// share memory and have the same host name.
std::string machine();
/// Numeric addresses of the network interfaces that are up, IPv4 before IPv6. Leaves out loopback,
/// and link-local addresses of IPv6.
std::vector<std::string> own_addresses();
/// Whether one of own_addresses() is of IPv4.
bool has_ipv4_address();
/// own_addresses(), then the host name: where other machines reach programs on this machine, best
/// first.
std::vector<std::string> addresses_for_others();

}  // namespace ductile::rms
