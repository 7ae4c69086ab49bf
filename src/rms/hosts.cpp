// The hosts of a list. Any remote shell reaches them.
#include "core/counted.hpp"
#include "rms/fixed_hosts.hpp"
#include "rms/remote_shell.hpp"
#include "rms/self.hpp"

namespace ductile::rms {

namespace {

class Hosts final : public FixedHosts {
  public:
    Hosts(core::Allocation allocation, std::vector<std::string> remote_shell)
        : FixedHosts(std::move(allocation)), remote_shell_(std::move(remote_shell)) {
        check_remote_shell(remote_shell_);
    }

    std::unique_ptr<AgentProcess> start_agent(asio::io_context& io, const std::string& host,
                                              const std::vector<std::string>& argv,
                                              const std::string& bootstrap_line,
                                              AgentProcess::OnExit on_exit) override {
        return std::make_unique<AgentProcess>(io, fill_remote_shell(remote_shell_, host, argv),
                                              bootstrap_line + "\n", std::move(on_exit));
    }
    std::vector<std::string> broker_addresses() const override { return addresses_for_others(); }
    std::string bind_address() const override { return "0.0.0.0"; }
    bool logical() const override { return false; }
    std::string describe() const override {
        return core::counted(allocation().hosts.size(), "listed host") + ", reached by " +
               remote_shell_[0];
    }

  private:
    std::vector<std::string> remote_shell_;
};

}  // namespace

std::unique_ptr<ResourceManager> make_hosts(core::Allocation allocation,
                                            std::vector<std::string> remote_shell) {
    return std::make_unique<Hosts>(std::move(allocation), std::move(remote_shell));
}

}  // namespace ductile::rms
