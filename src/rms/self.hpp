// Where this program is, what lies beside it, and how others reach this machine.
#pragma once

#include <string>
#include <vector>

namespace ductile::rms {

/// Absolute path of the running executable.
std::string self_path();
/// Absolute path of a companion program: <directory of the executable>/../libexec/ductile/NAME (the
/// executable may itself lie in libexec/ductile).
std::string companion(const std::string& name);
/// gethostname, at most 255 bytes.
std::string host_name();
/// Numeric non-loopback addresses of this machine, IPv4 before IPv6, without link-local ones.
std::vector<std::string> own_addresses();
/// These, then its name: where other machines find a program of ours, best first.
std::vector<std::string> addresses_for_others();

}  // namespace ductile::rms
