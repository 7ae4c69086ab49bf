// Parses the output of a probe and its MPI. Pure: tested on recorded texts.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace ductile::cli {

/// The lines `fact KEY VALUE`. Values of a repeated key are joined by newlines. MPICH's own summary
/// adds `provider` ("libfabric provider: sockets - 192.0.2.0/24" gives "sockets") and `netmod`
/// (ofi, ucx).
[[nodiscard]] std::map<std::string, std::string> facts_in(std::string_view output);

/// One line that gives the reason of a failure, from a program's or compiler's standard error.
/// Empty if there is none. MPICH's error stack gives its last line, which has the reason: "probe:
/// MPI_Open_port: Other MPI error, error stack:\n...\nf(31): not supported with ucx netmod" gives
/// "MPI_Open_port: not supported with ucx netmod".
[[nodiscard]] std::string trouble_in(std::string_view errors);

}  // namespace ductile::cli
