#include "sim/group_build.hpp"

#include <algorithm>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>

#include "sim/message_queue.hpp"
#include "tree/message_words.hpp"
#include "tree/process.hpp"

namespace ductile::sim {
namespace {

class EventRun {
  public:
    EventRun(const tree::Method& method, const std::vector<bool>& members,
             const NetworkCosts& costs)
        : costs_(costs), free_at_us_(members.size()), chains_(members.size()) {
        const auto n = static_cast<int>(members.size());
        const tree::HashFamily hashes{n, 0};
        processes_.reserve(members.size());
        for (int id = 0; id < n; ++id) {
            const auto own = members[static_cast<std::size_t>(id)] ? std::optional{tree::Colour{0}}
                                                                   : std::nullopt;
            processes_.emplace_back(method,
                                    tree::position_in_job(tree::ProcessId{id}, n, method.branching),
                                    own, hashes);
        }
    }

    GroupBuild finish(bool measure_memory) {
        processes_.front().begin(out_);
        send(0);
        while (!in_flight_.empty()) {
            auto arrival = in_flight_.pop();
            const auto to = static_cast<std::size_t>(arrival.to);
            auto& process = processes_[to];
            auto& free_at = free_at_us_[to];
            free_at = std::max(free_at, arrival.time_us) +
                      costs_.busy_us(tree::length_bytes(arrival.message.message));
            auto& [message, chain] = arrival.message;
            chains_[to] = std::max(chains_[to], chain);
            process.on_message(tree::ProcessId{arrival.from}, std::move(message), out_);
            if (process.complete()) build_.time_us = std::max(build_.time_us, free_at);
            send(to);
            if (measure_memory)
                build_.most_bytes_held = std::max(build_.most_bytes_held, process.bytes());
        }
        std::vector<tree::TreePosition> positions;
        for (const auto& process : processes_)
            if (process.position()) positions.push_back(*process.position());
        build_.tree = tree::check_tree(positions);
        return build_;
    }

  private:
    struct Sent {
        tree::Message message;
        int chain = 0;  ///< length of the chain of counted messages that ends with this one
    };

    void send(std::size_t from) {
        for (auto& [to, message] : out_) {
            const auto bytes = tree::length_bytes(message);
            int chain = chains_[from];
            if (tree::is_counted(message)) {
                build_.longest_chain = std::max(build_.longest_chain, ++chain);
                ++build_.messages;
                build_.bytes += static_cast<std::int64_t>(bytes);
            }
            free_at_us_[from] += costs_.busy_us(bytes);
            in_flight_.push({free_at_us_[from] + costs_.latency_us,
                             static_cast<int>(from),
                             to.value,
                             {std::move(message), chain}});
        }
        out_.clear();
    }

    NetworkCosts costs_;
    std::vector<tree::Process> processes_;
    std::vector<double> free_at_us_;
    std::vector<int> chains_;  // the longest chain that has reached each process
    MessageQueue<Sent> in_flight_;
    tree::Outbox out_;
    GroupBuild build_;
};

}  // namespace

GroupBuild simulate_build(const tree::Method& method, const std::vector<bool>& members,
                          const NetworkCosts& costs, bool measure_memory) {
    return EventRun{method, members, costs}.finish(measure_memory);
}

std::vector<bool> draw_members(int processes, int count, unsigned seed) {
    if (count < 1 || count > processes)
        throw std::invalid_argument("cannot draw " + std::to_string(count) + " members of " +
                                    std::to_string(processes) + " processes");
    std::mt19937 random{seed};
    std::vector<bool> members(static_cast<std::size_t>(processes));
    members[0] = true;
    // Floyd's sampling of count - 1 out of 1 .. processes-1. It uses the engine's words directly,
    // so the result is the same on every machine.
    for (int last = processes - count + 1; last < processes; ++last) {
        const auto drawn = 1 + static_cast<std::size_t>(random() % static_cast<unsigned>(last));
        members[members[drawn] ? static_cast<std::size_t>(last) : drawn] = true;
    }
    return members;
}

}  // namespace ductile::sim
