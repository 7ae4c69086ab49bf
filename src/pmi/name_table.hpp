// The names that the programs of a job publish (MPI_Publish_name).
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "pmi/answers.hpp"
#include "pmi/kvsname.hpp"

namespace ductile::pmi {

/// At most limits::names services. Every world of the job sees all names. Any world may unpublish
/// them.
class NameTable {
  public:
    /// `refused` if the service is published already, or if there are too many services.
    answer::NameResult publish(const KvsName& world, std::string service, std::string port);
    /// `refused` if nobody has published it.
    answer::NameResult unpublish(std::string_view service);
    [[nodiscard]] std::optional<std::string> lookup(std::string_view service) const;
    /// Removes the names that a world has published: their ports lead nowhere now.
    void forget(const KvsName& world);

  private:
    struct Entry {
        KvsName world;
        std::string port;
    };
    std::map<std::string, Entry, std::less<>> entries_;
};

}  // namespace ductile::pmi
