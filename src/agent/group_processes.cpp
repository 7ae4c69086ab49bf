#include "agent/group_processes.hpp"

#include <algorithm>
#include <csignal>

#include "os/stray_processes.hpp"

namespace ductile::agent {

namespace {

os::ProcessSelector selector_of(const std::string& agent, core::GroupId group, pid_t session) {
    os::ProcessSelector whose;
    whose.mark = "DUCTILE_AGENT=" + agent;
    whose.second_mark = "DUCTILE_GROUP=" + std::to_string(group.value);
    whose.session = session;
    return whose;
}

}  // namespace

std::vector<std::string> GroupProcesses::marks() const {
    return {"DUCTILE_AGENT=" + context_.self.marker,
            "DUCTILE_GROUP=" + std::to_string(group_.value), "DUCTILE_JOB=" + context_.self.job,
            "DUCTILE_HOST=" + std::to_string(context_.self.host.value),
            "DUCTILE_SOCKET=" + context_.self.socket_path};
}

std::vector<pid_t> GroupProcesses::find(std::set<pid_t> children) const {
    const auto marked = os::find_processes(selector_of(context_.self.marker, group_, 0));
    children.insert(marked.begin(), marked.end());
    return {children.begin(), children.end()};
}

// A process may start another one before it is stopped.
void GroupProcesses::signal(const std::set<pid_t>& children, int number) const {
    constexpr int most_looks = 3;
    std::set<pid_t> signalled;
    for (int look = 0; look < most_looks; ++look) {
        const auto before = signalled.size();
        for (const pid_t pid : find(children))
            if (signalled.insert(pid).second) ::kill(pid, number);
        if (signalled.size() == before) return;
    }
}

bool GroupProcesses::look_for_stray(const std::set<pid_t>& children) {
    auto whose = selector_of(context_.self.marker, group_, session_);
    whose.unmarked_orphans = context_.alone(group_);
    whose.known = context_.known_children();
    stray_ = os::find_processes(whose);
    std::erase_if(stray_, [&children](pid_t pid) { return children.contains(pid); });
    return !stray_.empty();
}

void GroupProcesses::kill_stray(bool files_are_known) const {
    for (const pid_t pid : stray_)
        context_.log("process " + std::to_string(pid) + " was left behind: killed");
    kill(stray_, files_are_known);
}

void GroupProcesses::announce_kill(const std::vector<pid_t>& processes) const {
    for (auto* service : context_.services) service->will_be_killed(group_, processes);
}

void GroupProcesses::kill(const std::vector<pid_t>& processes, bool files_are_known) const {
    if (!files_are_known) {
        for (const pid_t pid : processes) ::kill(pid, SIGSTOP);
        announce_kill(processes);
    }
    os::kill_processes(processes);
}

}  // namespace ductile::agent
