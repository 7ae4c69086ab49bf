// The names that the programs of a job publish (MPI_Publish_name).
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "pmi/answers.hpp"
#include "pmi/kvsname.hpp"

namespace ductile::pmi {

/// At most limits::names services. Every world of the job sees all names; any may unpublish them.
class NameTable {
  public:
    /// Refused: the service is published already, or there are too many.
    answer::NameResult publish(const KvsName& world, std::string service, std::string port);
    /// Refused: nobody has published it.
    answer::NameResult unpublish(std::string_view service);
    [[nodiscard]] std::optional<std::string> lookup(std::string_view service) const;
    /// Forgets what a world has published: its ports lead nowhere now.
    void forget(const KvsName& world);

  private:
    struct Entry {
        KvsName world;
        std::string port;
    };
    std::map<std::string, Entry, std::less<>> entries_;
};

}  // namespace ductile::pmi
