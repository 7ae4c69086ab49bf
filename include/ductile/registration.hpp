/// \file
/// The handle of data that a program has registered with a job.
#pragma once

#include <mpi.h>

#include <memory>
#include <string>
#include <utility>

#include "ductile/error.hpp"

namespace ductile::detail {

class RegistryState;

/// A registration by name. The destructor ends the registration.
class DUCTILE_PUBLIC Registration {
  public:
    Registration(std::shared_ptr<RegistryState> registry, std::string name)
        : registry_(std::move(registry)), name_(std::move(name)) {}
    Registration(Registration&& other) noexcept = default;
    Registration& operator=(Registration&& other) noexcept;
    Registration(const Registration&) = delete;
    Registration& operator=(const Registration&) = delete;
    ~Registration();
    [[nodiscard]] const std::string& name() const { return name_; }
    /// For an array: Part::freeze().
    void freeze() const;
    /// For an array: Part::move_only().
    void move_only(MPI_Datatype type) const;

  private:
    void end() noexcept;
    std::shared_ptr<RegistryState> registry_;
    std::string name_;
};

}  // namespace ductile::detail
