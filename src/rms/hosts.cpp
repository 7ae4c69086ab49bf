// The hosts of a list, reached by any remote shell.
#include "ductile/error.hpp"
#include "rms/remote_shell.hpp"
#include "rms/resource_manager.hpp"
#include "rms/self.hpp"

namespace ductile::rms {

namespace {

class Hosts final : public ResourceManager {
  public:
    Hosts(core::Allocation allocation, std::vector<std::string> remote_shell)
        : allocation_(std::move(allocation)), remote_shell_(std::move(remote_shell)) {
        check_remote_shell(remote_shell_);
    }

    const core::Allocation& allocation() const override { return allocation_; }
    std::unique_ptr<AgentProcess> start_agent(asio::io_context& io, core::HostIndex host,
                                              const std::vector<std::string>& argv,
                                              const std::string& bootstrap_line,
                                              AgentProcess::OnExit on_exit) override {
        return std::make_unique<AgentProcess>(
            io, fill_remote_shell(remote_shell_, allocation_.at(host).name, argv),
            bootstrap_line + "\n", std::move(on_exit));
    }
    void release(core::HostIndex) override {}
    std::vector<std::string> broker_addresses() const override {
        auto addresses = own_addresses();
        addresses.push_back(host_name());
        return addresses;
    }
    std::string bind_address() const override { return "0.0.0.0"; }
    bool logical() const override { return false; }
    std::string describe() const override {
        return std::to_string(allocation_.hosts.size()) + " listed hosts, reached by " +
               remote_shell_[0];
    }

  private:
    core::Allocation allocation_;
    std::vector<std::string> remote_shell_;
};

}  // namespace

std::unique_ptr<ResourceManager> make_hosts(core::Allocation allocation,
                                            std::vector<std::string> remote_shell) {
    return std::make_unique<Hosts>(std::move(allocation), std::move(remote_shell));
}

}  // namespace ductile::rms
