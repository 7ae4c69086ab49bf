#include "agent/agent.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>

#include "agent/launcher_group.hpp"
#include "rms/self.hpp"
#include "wire/event_loop.hpp"

namespace ductile::agent {

namespace {

using Clock = std::chrono::steady_clock;

constexpr auto first_contact_limit = std::chrono::seconds(15);

wire::AgentHello make_hello(const Bootstrap& bootstrap, int port) {
    wire::AgentHello hello;
    hello.job = bootstrap.identity.job;
    hello.host = bootstrap.identity.host;
    hello.generation = bootstrap.identity.generation;
    hello.pid = ::getpid();
    hello.host_name = rms::host_name();
    if (bootstrap.logical)
        hello.addresses = {"127.0.0.1"};
    else
        hello.addresses = rms::own_addresses();
    if (hello.addresses.size() > 16) hello.addresses.resize(16);
    hello.port = port;
    return hello;
}

}  // namespace

Agent::Agent(asio::io_context& io, Bootstrap bootstrap, Log log)
    : io_(io),
      bootstrap_(std::move(bootstrap)),
      log_(std::move(log)),
      directory_(bootstrap_.marker()),
      output_(
          io, [this] { consider(); }, [this] { stream_.want(); }),
      input_(io, [this] { stream_.want(); }),
      stale_files_(directory_.stale_files_path()),
      context_{io,
               input_,
               {&output_, &input_, &stale_files_},
               {bootstrap_.identity.job, bootstrap_.marker(), directory_.socket_path(),
                rms::companion("starter"), bootstrap_.identity.host},
               [this](const wire::FromAgent& message) { tell(message); },
               log_,
               [this] { return groups_.children(); },
               [this](core::GroupId group) { return groups_.is_alone(group); },
               [this](core::GroupId) { consider(); },
               [this](const std::string& port) {
                   run_stand_in({core::TransactionId{0}, port, {}});
               }},
      server_(
          io, directory_.socket_path(),
          [this](const std::shared_ptr<LocalPeer>& peer, const wire::Json& json,
                 std::vector<wire::Fd> descriptors) {
              on_first(peer, json, std::move(descriptors));
          },
          [this](const std::string& why) { tell(wire::Notice{why}); }),
      peers_(
          io, bootstrap_,
          {[this] { consider(); },
           [this](const std::string& why) {
               log_(why);
               peer_failed_ = true;
               consider();
           },
           [this](const std::string& why) { end_all("the job's deputy agent says: " + why, 1); }}),
      broker_(io, bootstrap_, make_hello(bootstrap_, peers_.port()),
              {[this](const wire::ToAgent& order) { on_order(order); },
               [this](BrokerState state) { on_broker(state); },
               [this] {
                   log_("this process was stopped for a while");
                   orphan_.restart(Clock::now());
               },
               log_}),
      stream_(io, bootstrap_, make_hello(bootstrap_, peers_.port()), output_, input_),
      orphan_(std::chrono::seconds(60)),
      signals_(io),
      orphan_timer_(io),
      finish_timer_(io) {}

int Agent::run() {
    for (const int number : {SIGCHLD, SIGTERM, SIGINT}) signals_.add(number);
    on_signal();
    if (bootstrap_.welcome) on_order(*bootstrap_.welcome);
    for (const auto& what : bootstrap_.runs) start_run(what);
    broker_.start();
    finish_timer_.expires_after(first_contact_limit);
    finish_timer_.async_wait([this](const asio::error_code& error) {
        if (error || broker_.state() != BrokerState::connecting) return;
        end_all("the broker was not reached within 15 s (" + broker_.last_failure() + ")", 1);
    });
    wire::run_to_end(io_, [this](const std::string& why) {
        end_all("an internal error of the agent: " + why, 1);
    });
    return code_;
}

void Agent::on_signal() {
    signals_.async_wait([this](const asio::error_code& error, int number) {
        if (error) return;
        if (number == SIGCHLD)
            reap();
        else
            end_all("signal " + std::to_string(number), 0);
        on_signal();
    });
}

// The only place where children are reaped: ranks, launchers, stand-ins, and orphans that came to
// us.
void Agent::reap() {
    int status = 0;
    for (pid_t pid = 0; (pid = ::waitpid(-1, &status, WNOHANG)) > 0;) {
        if (const auto ended = groups_.stand_in_reaped(pid, status)) {
            tell(*ended);
            consider();
        } else if (groups_.child_reaped(pid, status)) {
            consider();
        }
    }
}

void Agent::on_first(const std::shared_ptr<LocalPeer>& peer, const wire::Json& json,
                     std::vector<wire::Fd> descriptors) {
    using First = std::variant<wire::StarterHello, wire::RankHello, wire::RemoteLaunch>;
    std::visit(
        [&](const auto& hello) {
            using Hello = std::decay_t<decltype(hello)>;
            using Kind =
                std::conditional_t<std::is_same_v<Hello, wire::RankHello>, GroupRun, LauncherGroup>;
            const auto run = groups_.find<Kind>(hello.group);
            if (!run)
                throw InputError(std::string(hello.name) + " refused: group " +
                                 std::to_string(hello.group.value) + " does not run here");
            if constexpr (std::is_same_v<Hello, wire::StarterHello>)
                run->adopt_starter(peer, hello, std::move(descriptors));
            else if constexpr (std::is_same_v<Hello, wire::RemoteLaunch>)
                run->adopt_companion(peer, hello);
            else
                run->adopt_rank(peer, hello);
        },
        wire::decode<First>(json));
}

bool Agent::is_orphaned() const {
    return broker_.state() != BrokerState::connected && broker_.state() != BrokerState::connecting;
}

void Agent::on_broker(BrokerState state) {
    if (finishing_) return;
    if (state == BrokerState::connected) {
        peer_failed_ = false;
        stream_.may_connect_to(broker_.addresses());
    }
    peers_.use(is_orphaned());
    for (const auto& run : groups_.running()) run->set_brokerless(state == BrokerState::gone);
    if (state == BrokerState::gone) {
        for (const auto& run : groups_.running()) run->send(all_places(*run), wire::BrokerLost{});
        stream_.stop();
        input_.finish();
        output_.divert(output_path());
    }
    consider();
}

std::string Agent::output_path() const {
    const auto folder =
        output_folder(welcome_ ? welcome_->directory : std::string(), runtime_parent() + "/output");
    if (folder.empty()) return {};
    return folder + "/ductile-" + context_.self.job + ".host" +
           std::to_string(context_.self.host.value) + ".out";
}

}  // namespace ductile::agent
