// The lines that answer a rank, without their newline.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "pmi/kvsname.hpp"

/// Each function gives exactly one line; which command it answers is its name.
namespace ductile::pmi::answer {

std::string init();
std::string maxes();
std::string universe_size(int size);
/// `appnum`: index of the command that started the rank, 0 but for MPI_Comm_spawn_multiple.
std::string appnum(int appnum);
std::string my_kvsname(const KvsName& name);

enum class PutResult {
    stored,
    reserved,  ///< keys that begin with PMI_ are the server's
};
std::string put(PutResult result);
/// Nothing: there is no such key.
std::string get(const std::optional<std::string_view>& value);
std::string barrier();
std::string finalize();

enum class NameResult {
    done,
    refused,  ///< published already; not published
};
std::string publish(NameResult result);
std::string unpublish(NameResult result);
/// Nothing: nobody has published the service.
std::string lookup(const std::optional<std::string_view>& port);

enum class SpawnResult { started, failed };
/// `ranks`: how many were asked for.
std::string spawn(SpawnResult result, int ranks);

}  // namespace ductile::pmi::answer
