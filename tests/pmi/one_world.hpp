// A world over any number of hosts without processes or a network. Messages between the hosts'
// parts and the server arrive immediately.
#pragma once

#include <algorithm>
#include <deque>
#include <map>
#include <set>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "pmi/host_world.hpp"
#include "pmi/name_table.hpp"
#include "pmi/process_mapping.hpp"
#include "pmi/world_server.hpp"

namespace ductile::pmi {

enum class Machines { one, one_a_host };

/// Ranks 0 .. appnums.size() - 1, split over `hosts` hosts in blocks.
struct OneWorldOptions {
    KvsName kvsname{RandomBits{1, 2}};
    int hosts = 1;
    std::vector<int> appnums;
    Keys keys;
    Gate gate = Gate::open;
    Machines machines = Machines::one;  ///< what the mapping tells the ranks
};

inline int host_of_rank(int rank, int ranks, int hosts) {
    return rank * hosts / ranks;
}

class OneWorld {
  public:
    OneWorld(const OneWorldOptions& options, NameTable& names)
        : kvsname_(options.kvsname),
          ranks_(static_cast<int>(options.appnums.size())),
          hosts_(std::min(options.hosts, ranks_)),
          server_(all_hosts(hosts_), options.gate),
          names_(names) {
        std::vector<WorldOptions> parts(
            static_cast<std::size_t>(hosts_),
            WorldOptions{kvsname_, ranks_, {}, options.keys, options.gate});
        for (int rank = 0; rank < ranks_; ++rank)
            parts[static_cast<std::size_t>(host(rank))].ranks.push_back(
                {WorldRank{rank}, options.appnums[static_cast<std::size_t>(rank)]});
        for (auto& part : parts) {
            part.keys.emplace("PMI_process_mapping", mapping(options.machines));
            parts_.emplace_back(std::move(part));
        }
    }

    void line(int rank, std::string_view text) {
        step(host(rank), [&](auto& part, auto& out) {
            part.on_lines(WorldRank{rank}, {std::string(text)}, out);
        });
    }
    void next_program(int rank) {
        parts_[static_cast<std::size_t>(host(rank))].on_next_program(WorldRank{rank});
    }
    void ended(int rank) {
        step(host(rank), [&](auto& part, auto& out) { part.on_rank_ended(WorldRank{rank}, out); });
    }
    void leaves(int rank) {
        step(host(rank), [&](auto& part, auto& out) { part.on_rank_leaves(WorldRank{rank}, out); });
    }
    void spawn_answer(int rank, answer::SpawnResult result) {
        step(host(rank),
             [&](auto& part, auto& out) { part.on_spawn_answer(WorldRank{rank}, result, out); });
    }
    void release_gate() {
        WorldOutbox out;
        server_.release_gate(out);
        carry(out);
    }
    void host_lost(int lost) {
        WorldOutbox out;
        for (int rank = 0; rank < ranks_; ++rank)
            if (host(rank) == lost) lost_.insert(rank);
        server_.on_host_lost(core::HostIndex{lost}, out);
        carry(out);
    }

    /// Lines for ranks, since the last call.
    std::vector<ToRank> take_lines() { return std::exchange(lines_, {}); }
    /// Effects other than lines, barriers, gates and names, since the last call.
    Outbox take_effects() { return std::exchange(effects_, {}); }
    std::vector<WorldEffect> take_gate() { return std::exchange(gate_, {}); }

    [[nodiscard]] int host(int rank) const { return host_of_rank(rank, ranks_, hosts_); }
    [[nodiscard]] int ranks() const { return ranks_; }
    [[nodiscard]] const KvsName& kvsname() const { return kvsname_; }
    [[nodiscard]] const RankState& state(int rank) const {
        return *parts_[static_cast<std::size_t>(host(rank))].state_of(WorldRank{rank});
    }
    [[nodiscard]] std::size_t bytes() const {
        std::size_t sum = 0;
        for (const auto& part : parts_) sum += part.bytes();
        return sum;
    }

  private:
    [[nodiscard]] std::string mapping(Machines machines) const {
        std::vector<RanksOnNode> nodes;
        for (int rank = 0; rank < ranks_; ++rank)
            nodes.push_back({machines == Machines::one ? 0 : host(rank), 1});
        return *process_mapping(nodes);
    }
    static std::set<core::HostIndex> all_hosts(int count) {
        std::set<core::HostIndex> hosts;
        for (int host = 0; host < count; ++host) hosts.insert(core::HostIndex{host});
        return hosts;
    }

    template <class Input>
    void step(int host, const Input& input) {
        Outbox out;
        input(parts_[static_cast<std::size_t>(host)], out);
        carry(host, out);
    }
    void carry(int host, const Outbox& out) {
        for (const auto& effect : out) std::visit([&](const auto& one) { on(host, one); }, effect);
    }
    void carry(const WorldOutbox& out) {
        for (const auto& effect : out) {
            if (const auto* send = std::get_if<SendToHost>(&effect))
                std::visit(
                    [&](const auto& message) {
                        step(send->host.value, [&](auto& part, auto& to) { part.on(message, to); });
                    },
                    send->message);
            else
                gate_.push_back(effect);
        }
    }
    void to_server(int host, const FromHost& message) {
        WorldOutbox out;
        server_.on(core::HostIndex{host}, message, out);
        carry(out);
    }
    void on(int /*host*/, const ToRank& line) {
        if (!lost_.contains(line.rank.value)) lines_.push_back(line);
    }
    void on(int host, const BarrierReached& message) { to_server(host, message); }
    void on(int host, const LeftBarriers& message) { to_server(host, message); }
    void on(int host, const GateReached& message) { to_server(host, message); }
    void on(int host, const GateLost& message) { to_server(host, message); }
    void on(int host, const Publish& ask) {
        name_answer(host, ask.rank, names_.publish(kvsname_, ask.service, ask.port), "");
    }
    void on(int host, const Unpublish& ask) {
        name_answer(host, ask.rank, names_.unpublish(ask.service), "");
    }
    void on(int host, const Lookup& ask) {
        const auto port = names_.lookup(ask.service);
        const auto result = port ? answer::NameResult::done : answer::NameResult::refused;
        name_answer(host, ask.rank, result, port.value_or(""));
    }
    template <class Other>
    void on(int /*host*/, const Other& effect) {
        effects_.emplace_back(effect);
    }
    void name_answer(int host, WorldRank rank, answer::NameResult result, std::string_view port) {
        step(host, [&](auto& part, auto& out) { part.on_name_answer(rank, result, port, out); });
    }

    KvsName kvsname_;
    int ranks_;
    int hosts_;
    std::deque<HostWorld> parts_;
    WorldServer server_;
    NameTable& names_;
    std::set<int> lost_;
    std::vector<ToRank> lines_;
    Outbox effects_;
    std::vector<WorldEffect> gate_;
};

}  // namespace ductile::pmi
