// Logical hosts, which share the cores of this machine.
#include "core/counted.hpp"
#include "ductile/error.hpp"
#include "rms/fixed_hosts.hpp"

namespace ductile::rms {

namespace {

core::Allocation logical_hosts(int hosts, int slots_per_host) {
    core::Allocation allocation;
    for (int i = 0; i < hosts; ++i)
        allocation.hosts.push_back({"local" + std::to_string(i), slots_per_host});
    return allocation;
}

class Local final : public FixedHosts {
  public:
    Local(int hosts, int slots_per_host) : FixedHosts(logical_hosts(hosts, slots_per_host)) {}

    std::unique_ptr<AgentProcess> start_agent(asio::io_context& io, const std::string&,
                                              const std::vector<std::string>& argv,
                                              const std::string& bootstrap_line,
                                              AgentProcess::OnExit on_exit) override {
        return std::make_unique<AgentProcess>(io, argv, bootstrap_line + "\n", std::move(on_exit));
    }
    std::vector<std::string> broker_addresses() const override { return {"127.0.0.1"}; }
    std::string bind_address() const override { return "127.0.0.1"; }
    bool logical() const override { return true; }
    std::string describe() const override {
        return core::counted(allocation().hosts.size(), "logical host") + " of this machine";
    }
};

}  // namespace

std::unique_ptr<ResourceManager> make_local(int hosts, int slots_per_host) {
    if (hosts < 1 || hosts > 4096 || slots_per_host < 1)
        throw InputError("cannot make " + std::to_string(hosts) + " logical hosts of " +
                         std::to_string(slots_per_host) +
                         " slots: 1 to 4096 hosts, at least 1 slot");
    return std::make_unique<Local>(hosts, slots_per_host);
}

}  // namespace ductile::rms
