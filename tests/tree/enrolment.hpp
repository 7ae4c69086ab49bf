// An enrolment over processes in memory: messages wait in a queue for each channel until a test, or
// chance, says which channel delivers next.
#pragma once

#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <random>
#include <stdexcept>
#include <utility>
#include <vector>

#include "tree/process.hpp"
#include "tree/tree_check.hpp"

namespace ductile::tree {

/// Chooses one of the `waiting` messages in flight, by index. The channel of this message delivers
/// its oldest message next.
using Schedule = std::function<std::size_t(std::size_t waiting)>;

inline Schedule first_come() {
    return [](std::size_t) { return std::size_t{0}; };
}
/// The channel of the message that was sent last comes first. Within a channel the order is kept.
inline Schedule last_come() {
    return [](std::size_t waiting) { return waiting - 1; };
}
inline Schedule at_random(unsigned seed) {
    return [random = std::mt19937{seed}](std::size_t waiting) mutable {
        return std::uniform_int_distribution<std::size_t>{0, waiting - 1}(random);
    };
}

struct Channel {
    ProcessId from, to;
    auto operator<=>(const Channel&) const = default;
};

struct Enrolment {
    std::vector<Process> processes;  ///< by id
    int counted = 0;                 ///< messages, as Table II of balanced-spanning-trees counts
    std::size_t most_bytes = 0;      ///< the most a process held at any time
    std::map<Channel, std::deque<Message>> in_flight;
    std::deque<Channel> waiting;  ///< the channel of each message in flight

    void send(ProcessId from, Outbox& out) {
        for (auto& [to, message] : out) {
            if (is_counted(message)) ++counted;
            const Channel channel{from, to};
            in_flight[channel].push_back(std::move(message));
            waiting.push_back(channel);
        }
        out.clear();
    }

    /// Delivers the oldest message of a channel.
    void deliver(Channel channel) {
        auto& messages = in_flight.at(channel);
        auto message = std::move(messages.front());
        messages.pop_front();
        if (messages.empty()) in_flight.erase(channel);
        Outbox out;
        auto& process = processes.at(static_cast<std::size_t>(channel.to.value));
        process.on_message(channel.from, std::move(message), out);
        most_bytes = std::max(most_bytes, process.bytes());
        send(channel.to, out);
    }

    void run(const Schedule& schedule) {
        while (!waiting.empty()) {
            const auto at = schedule(waiting.size());
            const auto channel = waiting[at];
            if (at == 0) {
                waiting.pop_front();
            } else {
                std::swap(waiting[at], waiting.back());
                waiting.pop_back();
            }
            deliver(channel);
        }
    }

    /// The positions of a colour's members.
    [[nodiscard]] std::vector<TreePosition> positions(
        const std::vector<std::optional<Colour>>& colours, Colour colour) const {
        std::vector<TreePosition> found;
        for (std::size_t i = 0; i < processes.size(); ++i) {
            if (colours[i] != colour) continue;
            if (!processes[i].position())
                throw std::logic_error("process " + std::to_string(i) + " has no position");
            found.push_back(*processes[i].position());
        }
        return found;
    }
};

using Colours = std::vector<std::optional<Colour>>;

/// The labels that process i has in use.
inline LabelSet labels_of(std::size_t i) {
    LabelSet labels;
    for (int label = 1; label < 40; ++label)
        if (i * 7 % 13 >= static_cast<std::size_t>(label % 13)) labels.insert(label);
    return labels;
}

/// Sets an enrolment up in the group of these positions (one for each process of the job, none for
/// those outside the parent) and begins it at the root.
inline Enrolment begin(const Method& method,
                       const std::vector<std::optional<TreePosition>>& parents,
                       const Colours& colours, int salt = 0) {
    Enrolment enrolment;
    const HashFamily hashes{static_cast<int>(parents.size()), salt};
    for (std::size_t i = 0; i < parents.size(); ++i)
        enrolment.processes.emplace_back(method, parents[i], colours[i], hashes, labels_of(i));
    for (std::size_t i = 0; i < parents.size(); ++i) {
        if (!parents[i] || parents[i]->parent) continue;
        Outbox out;
        enrolment.processes[i].begin(out);
        enrolment.send(ProcessId{static_cast<int>(i)}, out);
    }
    return enrolment;
}

inline std::vector<std::optional<TreePosition>> whole_job(int n, int k) {
    std::vector<std::optional<TreePosition>> positions;
    for (int id = 0; id < n; ++id) positions.emplace_back(position_in_job(ProcessId{id}, n, k));
    return positions;
}

/// One colour: the processes whose bit is set.
inline Colours members(int n, unsigned bits) {
    Colours colours(static_cast<std::size_t>(n));
    for (int i = 0; i < n; ++i)
        if (bits >> i & 1U) colours[static_cast<std::size_t>(i)] = Colour{0};
    return colours;
}

inline Colours members_at_random(int n, double fraction, unsigned seed) {
    std::mt19937 random{seed};
    std::bernoulli_distribution in{fraction};
    Colours colours(static_cast<std::size_t>(n));
    for (auto& colour : colours)
        if (in(random)) colour = Colour{0};
    return colours;
}

inline int count(const Colours& colours) {
    return static_cast<int>(std::ranges::count_if(colours, [](auto& c) { return c.has_value(); }));
}

inline std::vector<Method> all_methods(int k) {
    std::vector<Method> methods{{Algorithm::centralized, Filler::none, k}};
    for (const auto filler : {Filler::none, Filler::child, Filler::leaf})
        for (const auto lone : {LoneBranch::filled, LoneBranch::passed_on})
            methods.push_back({Algorithm::shrink_and_hash, filler, k, Slack::inherited, lone});
    for (const auto filler : {Filler::child, Filler::leaf})
        for (const auto slack : {Slack::inherited, Slack::none})
            for (const auto lone : {LoneBranch::filled, LoneBranch::passed_on})
                methods.push_back({Algorithm::shrink_and_balance, filler, k, slack, lone});
    return methods;
}

}  // namespace ductile::tree
