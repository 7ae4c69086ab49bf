// The hosts of a list. Any remote shell reaches them.
#include <set>

#include "core/counted.hpp"
#include "rms/fixed_hosts.hpp"
#include "rms/remote_shell.hpp"
#include "rms/self.hpp"

namespace ductile::rms {

namespace {

class Hosts final : public FixedHosts {
  public:
    Hosts(core::Allocation listed, std::vector<std::string> remote_shell, bool starts_here)
        : FixedHosts(std::move(listed)), remote_shell_(std::move(remote_shell)) {
        check_remote_shell(remote_shell_);
        for (const auto& host : allocation().hosts)
            if (starts_here && is_this_machine(host.name)) here_.insert(host.name);
    }

    std::unique_ptr<AgentProcess> start_agent(asio::io_context& io, const std::string& host,
                                              const std::vector<std::string>& argv,
                                              const std::string& bootstrap_line,
                                              AgentProcess::OnExit on_exit) override {
        return std::make_unique<AgentProcess>(
            io, here_.contains(host) ? argv : fill_remote_shell(remote_shell_, host, argv),
            bootstrap_line + "\n", std::move(on_exit));
    }
    std::vector<std::string> broker_addresses() const override {
        return are_all_here() ? std::vector<std::string>{"127.0.0.1"} : addresses_for_others();
    }
    std::string bind_address() const override { return are_all_here() ? "127.0.0.1" : "::"; }
    bool logical() const override { return false; }
    std::string describe() const override {
        return core::counted(allocation().hosts.size(), "listed host") +
               (are_all_here() ? ", this machine" : ", reached by " + remote_shell_[0]);
    }

  private:
    [[nodiscard]] bool are_all_here() const { return here_.size() == allocation().hosts.size(); }

    std::vector<std::string> remote_shell_;
    std::set<std::string> here_;  ///< names of this machine
};

}  // namespace

std::unique_ptr<ResourceManager> make_hosts(core::Allocation allocation,
                                            std::vector<std::string> remote_shell,
                                            bool starts_here) {
    return std::make_unique<Hosts>(std::move(allocation), std::move(remote_shell), starts_here);
}

}  // namespace ductile::rms
