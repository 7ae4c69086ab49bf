// Decisions from ductiled (docs/site.md).
#pragma once

#include <asio/io_context.hpp>
#include <memory>
#include <string>

#include "broker/decision_source.hpp"
#include "broker/job_spec.hpp"
#include "site/munge.hpp"
#include "site/site_call.hpp"

namespace ductile::broker {

class SiteClient final : public DecisionSource {
  public:
    SiteClient(asio::io_context& io, SiteSpec site)
        : io_(io), site_(std::move(site)), munge_(io, site_.address.munge_socket) {}

    [[nodiscard]] std::string name() const override { return "site"; }
    [[nodiscard]] bool sees_cluster() const override { return true; }
    void ask(const PolicyQuestion& question, OnAnswer on_answer) override;

  private:
    asio::io_context& io_;
    SiteSpec site_;
    site::Munge munge_;
    std::unique_ptr<site::SiteCall> call_;
};

}  // namespace ductile::broker
