#include "rms/fixed_hosts.hpp"

#include <algorithm>
#include <asio/post.hpp>

#include "core/counted.hpp"

namespace ductile::rms {

namespace {

constexpr std::size_t most_names = 4;

std::string names_of(const std::vector<core::Host>& hosts) {
    std::string names;
    for (std::size_t i = 0; i < std::min(hosts.size(), most_names); ++i)
        names += (i == 0 ? "" : ", ") + hosts[i].name;
    if (hosts.size() > most_names)
        names += " and " + std::to_string(hosts.size() - most_names) + " more";
    return names;
}

}  // namespace

void FixedHosts::attach(asio::io_context& io, OnHostAnswer on_answer, OnNotice) {
    io_ = &io;
    on_answer_ = std::make_shared<const OnHostAnswer>(std::move(on_answer));
}

void FixedHosts::request(RequestId id, const HostRequest& request) {
    deny(id, "cannot get " + core::counted(request.hosts, "more host") +
                 ": the job already has all hosts, " + describe() + " (" +
                 names_of(allocation_.hosts) + ")");
}

void FixedHosts::cancel(RequestId id) {
    deny(id, "cancelled");
}

void FixedHosts::deny(RequestId id, std::string reason) {
    asio::post(*io_, [weak = std::weak_ptr(on_answer_), denied = Denied{id, std::move(reason)}] {
        if (const auto on_answer = weak.lock()) (*on_answer)(denied);
    });
}

}  // namespace ductile::rms
