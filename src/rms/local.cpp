// Logical hosts: the cores of this machine, shared out.
#include "ductile/error.hpp"
#include "rms/resource_manager.hpp"

namespace ductile::rms {

namespace {

class Local final : public ResourceManager {
  public:
    Local(int hosts, int slots_per_host) {
        for (int i = 0; i < hosts; ++i)
            allocation_.hosts.push_back({"local" + std::to_string(i), slots_per_host});
    }

    const core::Allocation& allocation() const override { return allocation_; }
    std::unique_ptr<AgentProcess> start_agent(asio::io_context& io, core::HostIndex host,
                                              const std::vector<std::string>& argv,
                                              const std::string& bootstrap_line,
                                              AgentProcess::OnExit on_exit) override {
        static_cast<void>(allocation_.at(host));
        return std::make_unique<AgentProcess>(io, argv, bootstrap_line + "\n", std::move(on_exit));
    }
    void release(core::HostIndex) override {}
    std::vector<std::string> broker_addresses() const override { return {"127.0.0.1"}; }
    std::string bind_address() const override { return "127.0.0.1"; }
    bool logical() const override { return true; }
    std::string describe() const override {
        const auto count = allocation_.hosts.size();
        return std::to_string(count) + (count == 1 ? " logical host" : " logical hosts") +
               " of this machine";
    }

  private:
    core::Allocation allocation_;
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
