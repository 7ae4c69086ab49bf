// The lines that answer a rank, without the newline.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "pmi/kvsname.hpp"

/// Each function returns exactly one line. It is named after the command that the line answers:
/// maxes() answers `get_maxes`.
namespace ductile::pmi::answer {

std::string init();
std::string maxes();
std::string universe_size(int size);
/// `appnum`: index of the command that started the rank. It is 0 except with
/// MPI_Comm_spawn_multiple.
std::string appnum(int appnum);
std::string my_kvsname(const KvsName& name);

enum class PutResult {
    stored,
    reserved,  ///< keys that begin with PMI_ belong to the server
};
std::string put(PutResult result);
/// nullopt: there is no such key.
std::string get(const std::optional<std::string_view>& value);
std::string barrier();
std::string finalize();

enum class NameResult {
    done,
    refused,  ///< see NameTable; for a lookup: nobody has published the service
};
std::string publish(NameResult result);
std::string unpublish(NameResult result);
/// nullopt: nobody has published the service.
std::string lookup(const std::optional<std::string_view>& port);

enum class SpawnResult { started, failed };
/// `ranks`: the requested number of ranks.
std::string spawn(SpawnResult result, int ranks);

}  // namespace ductile::pmi::answer
