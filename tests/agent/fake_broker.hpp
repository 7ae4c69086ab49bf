// A broker for tests. It starts real agents on this machine, keeps their messages, and sends them
// what a test wants.
#pragma once

#include <asio/io_context.hpp>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "../patience.hpp"
#include "rms/agent_process.hpp"
#include "wire/agent_messages.hpp"
#include "wire/channel.hpp"

namespace ductile::test {

using namespace std::chrono_literals;

/// What one agent has said.
struct Heard {
    std::vector<wire::FromAgent> messages;
    std::map<std::string, std::string> output;  ///< "group.rank.stream" -> the whole output
    bool every_line_whole = true;
    bool control = false, stream = false;  ///< whether the connection is open now
    bool goodbye = false, had_stream = false, stream_goodbye = false;
    bool exited = false;
    int code = -1;
    std::string said;  ///< on its stderr

    template <class Message>
    std::vector<Message> all() const {
        std::vector<Message> found;
        for (const auto& message : messages)
            if (const auto* one = std::get_if<Message>(&message)) found.push_back(*one);
        return found;
    }
};

class FakeBroker {
  public:
    FakeBroker();
    ~FakeBroker();

    /// Starts an agent. Its bootstrap message has these runs.
    void start_agent(int host, const std::vector<wire::StartRun>& runs, int generation = 1);
    /// Runs the event loop until `done`, or for `limit`, patiently; false at the limit.
    bool run_until(const std::function<bool()>& done, std::chrono::milliseconds limit = 10s);
    void run_for(std::chrono::milliseconds time);
    void send(int host, const wire::ToAgent& message);
    void give_input(int host, const std::string& data);
    void pause_output(int host, bool paused);
    /// As if the broker's process had been killed: all its sockets close.
    void die();
    /// Closes the connections of this host's agent, and refuses new ones from now on.
    void refuse(int host);
    /// Forgets an agent, but keeps its connections open. So another agent can be started on its
    /// host. cut() closes the connections.
    struct Agent;
    std::shared_ptr<Agent> forget(int host);
    void cut(const std::shared_ptr<Agent>& agent);
    void stop_agent_with(int host, int signal);

    Heard& heard(int host);
    int agent_pid(int host);
    std::string marker(int host);
    const std::string& job() const { return job_; }
    wire::AgentWelcome welcome;  ///< what agents get; change it before start_agent
    bool partial = false;        ///< the agents send parts of the lines of stdout, too

  private:
    bool run(const std::function<bool()>& done, std::chrono::milliseconds time);
    void accepted(std::shared_ptr<wire::Channel> channel, const wire::Identity& who);

    asio::io_context io_;
    std::string job_;
    wire::Secret secret_;
    int port_ = 0;
    std::map<int, std::shared_ptr<Agent>> agents_;
    std::unique_ptr<wire::ChannelServer> server_;
};

/// An order to start `ranks` ranks as group `group`.
wire::StartRun run_of(int group, int ranks, bool input = false);

/// Processes on this machine whose environment holds this agent's mark.
std::vector<int> processes_of(const std::string& marker);
/// Of these, the first whose command line holds `text`; 0 if there is none.
int process_named(const std::string& marker, const std::string& text);
/// Throws if there is no such process: kill(0) would kill the process group of the test.
void kill_process_named(const std::string& marker, const std::string& text, int signal);
bool is_alive(int pid);
/// Directories of this job's agents that still exist.
std::vector<std::string> directories_of(const std::string& job);

}  // namespace ductile::test
