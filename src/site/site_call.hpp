// One question to ductiled, over the network.
#pragma once

#include <asio/io_context.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <variant>

#include "policy/site.hpp"
#include "site/munge.hpp"

namespace ductile::site {

/// Where ductiled is, and who it is.
struct SiteAddress {
    std::string host;
    std::uint16_t port = 0;
    std::uint32_t user = 0;    ///< under which ductiled runs
    std::string munge_socket;  ///< empty: the usual one
};

class SiteCall {
  public:
    struct Failed {
        std::string why;
    };
    using OnAnswer = std::function<void(const std::variant<policy::Decision, Failed>&)>;
    static constexpr std::chrono::seconds answers_within{10};

    /// `on_answer` is called once, from the event loop, within `answers_within`. It is not called
    /// after this object is destroyed, and may destroy it.
    SiteCall(asio::io_context& io, Munge& munge, const SiteAddress& site,
             const policy::SiteQuestion& question, OnAnswer on_answer);
    ~SiteCall();
    SiteCall(const SiteCall&) = delete;
    SiteCall& operator=(const SiteCall&) = delete;

  private:
    struct Exchange;
    std::shared_ptr<Exchange> exchange_;
};

}  // namespace ductile::site
