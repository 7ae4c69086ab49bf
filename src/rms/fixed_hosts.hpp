// The common part of resource managers whose job has all hosts from the start.
#pragma once

#include <memory>
#include <string>

#include "rms/resource_manager.hpp"

namespace ductile::rms {

/// Denies every request. The reason names the hosts of the job (at most four).
class FixedHosts : public ResourceManager {
  public:
    explicit FixedHosts(core::Allocation allocation) : allocation_(std::move(allocation)) {}

    const core::Allocation& allocation() const override { return allocation_; }
    void attach(asio::io_context& io, OnHostAnswer on_answer, OnNotice) override;
    void request(RequestId id, const HostRequest& request) override;
    void cancel(RequestId id) override;
    void release(const std::string&) override {}
    bool takes_back() const override { return false; }

  private:
    void deny(RequestId id, std::string reason);

    core::Allocation allocation_;
    asio::io_context* io_ = nullptr;
    std::shared_ptr<const OnHostAnswer> on_answer_;
};

}  // namespace ductile::rms
