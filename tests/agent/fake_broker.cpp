#include "fake_broker.hpp"

#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <stdexcept>

#include "agent/runtime_directory.hpp"
#include "os/stray_processes.hpp"
#include "rms/self.hpp"
#include "wire/json_line.hpp"

extern char** environ;

namespace ductile::test {

namespace {

std::string read_file(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

std::string unique_job() {
    static int count = 0;
    return "test" + std::to_string(::getpid()) + "-" + std::to_string(++count);
}

}  // namespace

struct FakeBroker::Agent {
    int generation = 1;
    std::unique_ptr<rms::AgentProcess> process;
    std::shared_ptr<wire::Channel> control, stream;
    Heard heard;
    std::string refusal;
};

Heard& FakeBroker::heard(int host) {
    return agents_.at(host)->heard;
}

int FakeBroker::agent_pid(int host) {
    return agents_.at(host)->process->pid();
}

FakeBroker::FakeBroker() : job_(unique_job()), secret_(wire::make_secret()) {
    ::signal(SIGPIPE, SIG_IGN);
    for (char** entry = environ; *entry != nullptr; ++entry)
        welcome.environment.emplace_back(*entry);
    welcome.directory = std::filesystem::temp_directory_path();
    welcome.launcher = {DUCTILE_TEST_LAUNCHER, "--remote", rms::companion("remote-launch")};
    welcome.launcher_here = {"--host", "localhost:{ranks}", "-n", "{ranks}"};
    welcome.launcher_further = {"--host", "{hosts}", "-n", "{ranks}"};
    welcome.heartbeat_s = 0.2;
    welcome.heartbeat_limit_s = 1;
    welcome.orphan_limit_s = 2;
    welcome.leave_within_s = 1;
    server_ = std::make_unique<wire::ChannelServer>(
        io_, "127.0.0.1", 0,
        [this](const wire::Identity& who) -> std::optional<wire::Admission> {
            const auto it = agents_.find(who.host.value);
            if (who.job != job_ || it == agents_.end()) return std::nullopt;
            if (who.generation.value != it->second->generation)
                return wire::Admission{secret_, "an old generation"};
            return wire::Admission{secret_, it->second->refusal};
        },
        [this](std::shared_ptr<wire::Channel> channel, const wire::Identity& who) {
            accepted(std::move(channel), who);
        });
    port_ = server_->port();
}

FakeBroker::~FakeBroker() {
    for (auto& [host, agent] : agents_) {
        if (!agent->heard.exited) agent->process->signal(SIGKILL);
        os::kill_processes(processes_of(marker(host)));
    }
    // Files in which agents without a broker have put the output of their ranks.
    std::error_code ignored;
    for (const auto& entry : std::filesystem::directory_iterator("/tmp", ignored))
        if (entry.path().filename().string().starts_with("ductile-" + job_ + "."))
            std::filesystem::remove(entry.path(), ignored);
}

std::string FakeBroker::marker(int host) {
    return job_ + "." + std::to_string(host) + "." + std::to_string(agents_.at(host)->generation);
}

void FakeBroker::start_agent(int host, const std::vector<wire::StartRun>& runs, int generation) {
    wire::Json line = {{"job", job_},
                       {"host", host},
                       {"host_name", "local" + std::to_string(host)},
                       {"generation", generation},
                       {"secret", wire::to_hex(secret_)},
                       {"addresses", {"127.0.0.1"}},
                       {"port", port_},
                       {"logical", true},
                       {"partial_stdout", partial},
                       {"partial_stderr", false},
                       {"welcome", wire::encode_json(wire::ToAgent{welcome})},
                       {"runs", wire::Json::array()}};
    for (const auto& run : runs) line["runs"].push_back(wire::encode_json(wire::ToAgent{run}));
    agents_[host] = std::make_shared<Agent>();
    auto& agent = *agents_[host];
    agent.generation = generation;
    agent.process = std::make_unique<rms::AgentProcess>(
        io_, std::vector<std::string>{rms::companion("agent")}, line.dump() + "\n",
        [&agent](int code, const std::string& said) {
            agent.heard.exited = true;
            agent.heard.code = code;
            agent.heard.said = said;
        });
}

void FakeBroker::accepted(std::shared_ptr<wire::Channel> channel, const wire::Identity& who) {
    auto& agent = *agents_.at(who.host.value);
    auto& heard = agent.heard;
    (who.stream ? agent.stream : agent.control) = channel;
    (who.stream ? heard.stream : heard.control) = true;
    channel->on_closed = [&heard, stream = who.stream](const std::string&, wire::Ending) {
        (stream ? heard.stream : heard.control) = false;
    };
    if (who.stream) {
        heard.had_stream = true;
        channel->on_message = [&heard](const wire::Message& encoded) {
            const auto message = wire::decode<wire::FromStream>(encoded);
            if (std::holds_alternative<wire::AgentGoodbye>(message)) heard.stream_goodbye = true;
            const auto* output = std::get_if<wire::Output>(&message);
            if (output == nullptr) return;
            heard.output[std::to_string(output->group.value) + "." +
                         std::to_string(output->rank.value) + "." +
                         std::to_string(output->stream)] += output->data;
            if (!output->data.ends_with('\n')) heard.every_line_whole = false;
        };
    } else {
        channel->on_message = [&heard](const wire::Message& encoded) {
            auto message = wire::decode<wire::FromAgent>(encoded);
            if (std::holds_alternative<wire::AgentGoodbye>(message)) heard.goodbye = true;
            heard.messages.push_back(std::move(message));
        };
    }
    channel->start();
    if (!who.stream) channel->send(wire::ToAgent{wire::Heartbeat{}});
}

bool FakeBroker::run_until(const std::function<bool()>& done, std::chrono::milliseconds limit) {
    return run(done, patient(limit));
}

void FakeBroker::run_for(std::chrono::milliseconds time) {
    run([] { return false; }, time);
}

bool FakeBroker::run(const std::function<bool()>& done, std::chrono::milliseconds time) {
    const auto end = std::chrono::steady_clock::now() + time;
    auto next_heartbeat = std::chrono::steady_clock::now();
    while (!done()) {
        const auto now = std::chrono::steady_clock::now();
        if (now >= end) return false;
        if (now >= next_heartbeat) {
            next_heartbeat = now + 200ms;
            for (auto& [host, agent] : agents_)
                if (agent->control) agent->control->send(wire::ToAgent{wire::Heartbeat{}});
        }
        io_.restart();
        io_.run_for(10ms);
    }
    return true;
}

void FakeBroker::send(int host, const wire::ToAgent& message) {
    agents_.at(host)->control->send(message);
}

void FakeBroker::give_input(int host, const std::string& data) {
    agents_.at(host)->stream->send(wire::ToStream{wire::Input{data}});
}

void FakeBroker::pause_output(int host, bool paused) {
    auto& stream = *agents_.at(host)->stream;
    paused ? stream.pause_reading() : stream.resume_reading();
}

void FakeBroker::die() {
    server_->close();
    for (auto& [host, agent] : agents_) {
        if (agent->control) agent->control->fail("the test's broker died");
        if (agent->stream) agent->stream->fail("the test's broker died");
    }
}

void FakeBroker::refuse(int host) {
    auto& agent = *agents_.at(host);
    agent.refusal = "this host is no longer part of the job";
    agent.control->fail("refused");
    if (agent.stream) agent.stream->fail("refused");
}

std::shared_ptr<FakeBroker::Agent> FakeBroker::forget(int host) {
    auto agent = agents_.at(host);
    agents_.erase(host);
    return agent;
}

void FakeBroker::cut(const std::shared_ptr<Agent>& agent) {
    agent->control->fail("cut");
    if (agent->stream) agent->stream->fail("cut");
}

void FakeBroker::stop_agent_with(int host, int signal) {
    agents_.at(host)->process->signal(signal);
}

wire::StartRun run_of(int group, int ranks, bool input) {
    wire::StartRun run;
    run.group = core::GroupId{group};
    run.ranks = ranks;
    run.input = input;
    wire::RankWelcome welcome;
    welcome.job = "test";
    run.welcome = welcome;
    return run;
}

std::vector<int> processes_of(const std::string& marker) {
    os::ProcessSelector whose;
    whose.mark = "DUCTILE_AGENT=" + marker;
    return os::find_processes(whose);
}

int process_named(const std::string& marker, const std::string& text) {
    for (const int pid : processes_of(marker)) {
        const auto line = read_file("/proc/" + std::to_string(pid) + "/cmdline");
        if (line.substr(0, line.find('\0')).find(text) != std::string::npos) return pid;
    }
    return 0;
}

void kill_process_named(const std::string& marker, const std::string& text, int signal) {
    const int pid = process_named(marker, text);
    if (pid <= 0) throw std::logic_error("no process of " + marker + " is called " + text);
    ::kill(pid, signal);
}

std::vector<std::string> directories_of(const std::string& job) {
    std::vector<std::string> found;
    std::error_code error;
    for (const auto& one : std::filesystem::directory_iterator(agent::runtime_parent(), error))
        if (one.path().filename().string().starts_with(job)) found.push_back(one.path());
    return found;
}

bool is_alive(int pid) {
    const auto stat = read_file("/proc/" + std::to_string(pid) + "/stat");
    const auto name_end = stat.rfind(')');
    return name_end != std::string::npos && stat.size() > name_end + 2 && stat[name_end + 2] != 'Z';
}

}  // namespace ductile::test
