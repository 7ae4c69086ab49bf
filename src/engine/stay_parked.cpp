#include "engine/stay_parked.hpp"

#include <algorithm>
#include <thread>

#include "engine/unpark_switch.hpp"

namespace ductile::engine {

namespace {

using namespace std::chrono_literals;

// If a resize is called off because the broker is lost, rank 0 sends no verdict about it. Then this
// function waits for the verdict of a later resize. Returns nullopt if the rank must leave.
std::optional<Verdict> await_verdict(const SwitchTools& tools, core::TransactionId of) {
    const auto before = tools.member.membership().before_parking.value();
    // The members may need some time to reach their point. If the broker is lost, they never reach
    // it.
    constexpr std::chrono::milliseconds longest_pause = 20ms;
    for (auto pause = 1ms;; pause = std::min(2 * pause, longest_pause)) {
        if (tools.gate.exit_permitted()) return std::nullopt;
        auto verdict = tools.mpi.peers->take_verdict(*before.comm);
        if (verdict && verdict->transaction >= of) return verdict;
        if (!verdict) std::this_thread::sleep_for(pause);
    }
}

bool come_back(const SwitchTools& tools, StartOrders& orders, SwitchRank& rank,
               const Verdict& verdict) {
    if (verdict.all.empty()) return false;
    SwitchReport report;  // not sent: the members send theirs
    report.transaction = verdict.transaction;
    UnparkSwitch unpark(tools, verdict);
    if (complete_switch(unpark, report, rank) != Fate::stays) return false;
    tools.gate.begin(tools.member.membership().point, verdict.transaction);
    orders.open();
    return true;
}

}  // namespace

Fate stay_parked(const SwitchTools& tools, StartOrders& orders, SwitchRank& rank,
                 core::TransactionId last) {
    tools.member.fall_asleep();
    orders.close();
    tools.link.send(wire::Parked{true});
    while (const auto call = tools.gate.wait_parked(last)) {
        last = *call;
        const auto verdict = await_verdict(tools, last);
        if (!verdict) break;
        last = verdict->transaction;
        if (!come_back(tools, orders, rank, *verdict)) continue;
        tools.link.send(wire::Parked{false});
        SwitchReport unheard;  // not sent: the members send theirs
        unheard.transaction = last;
        rank.rebuild(unheard);
        return Fate::stays;
    }
    return Fate::leaves;
}

}  // namespace ductile::engine
