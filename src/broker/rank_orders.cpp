#include "broker/rank_orders.hpp"

namespace ductile::broker {

namespace {

using Orders = std::vector<RankOrder>;

struct Translator {
    const resize::ResizePlan& plan;
    const RankDirectory& directory;

    [[nodiscard]] std::vector<core::RankRange> at(const core::Process& process) const {
        for (const auto& range : directory.ranges(process.group))
            if (range.holds(process)) return {{process.group, range.host, process.rank, 1}};
        return {};
    }
    [[nodiscard]] std::vector<core::RankRange> leader() const {
        return at(directory.layout.at(core::Rank{0}));
    }
    [[nodiscard]] Orders to_members(const wire::ToRank& message) const {
        return {{directory.layout.active, message}};
    }
    [[nodiscard]] Orders to_newcomers(const wire::ToRank& message) const {
        return {{core::Layout::of(plan.added).active, message}};
    }

    Orders operator()(const resize::TellConnectRound& e) const {
        std::vector<core::RankRange> ranks;
        for (const auto group : e.order.groups) {
            const auto ranges = directory.ranges(group);
            ranks.insert(ranks.end(), ranges.begin(), ranges.end());
        }
        return {{ranks, wire::ConnectRound{e.order.round, e.order.port}}};
    }
    Orders operator()(const resize::TellPending& e) const {
        return to_members(wire::ResizePending{plan.id, e.on, wire::LayoutFields(plan.after)});
    }
    Orders operator()(const resize::TellNewcomersCalledOff&) const {
        return to_newcomers(wire::ResizePending{plan.id, false, {}});
    }
    Orders operator()(const resize::TellOpenPort&) const {
        return {{leader(), wire::OpenBridge{plan.id, plan.secret}}};
    }
    Orders operator()(const resize::TellConnect& e) const {
        return {{at(e.leader), wire::ConnectBridge{plan.id, e.port}}};
    }
    Orders operator()(const resize::TellAccept&) const {
        return {{leader(), wire::AcceptBridge{plan.id}}};
    }
    Orders operator()(const resize::TellSpawn& e) const {
        const auto bridge = plan::bridge_by(plan.strategy.start);
        int ranks = 0;
        for (const auto& group : plan.added)
            if (group.id == e.call.starts) ranks = group.ranks;
        return {
            {at({e.call.caller, e.call.rank}),
             wire::SpawnGroup{plan.id, e.call.starts, ranks, directory.spawn_hosts(e.call.starts),
                              directory.by_entry, bridge, plan.secret}}};
    }
    Orders operator()(const resize::TellMerge& e) const {
        Orders orders;
        for (const auto& process : e.starters)
            orders.push_back({at(process), wire::MergeGroup{plan.id}});
        return orders;
    }
    Orders operator()(const resize::TellSharePorts& e) const {
        Orders orders;
        for (const auto& process : e.starters)
            orders.push_back({at(process), wire::SharePorts{plan.id, e.peers}});
        return orders;
    }
    Orders operator()(const resize::TellPrepare& e) const {
        return to_members(wire::Prepare{plan.id, e.attempt, wire::LayoutFields(plan.after)});
    }
    Orders operator()(const resize::TellDecision& e) const {
        if (e.point == 0)
            return to_members(wire::Decision{plan.id, 0, {}, {}, false, false, {}, {}, {}});
        const auto executor = plan.strategy.redistribution;
        wire::Decision decision{plan.id,
                                e.point,
                                wire::to_fields(plan.added),
                                wire::LayoutFields(plan.after),
                                plan.is_blocking(),
                                plan.joins_in_background(),
                                executor,
                                {},
                                plan.strategy.memory};
        if (executor == plan::Executor::automatic)
            decision.move_costs.assign(directory.move_costs.begin(), directory.move_costs.end());
        auto orders = to_members(decision);
        if (const auto returning = plan.change().returning; !returning.empty())
            orders.push_back({returning, wire::ComeBack{plan.id}});
        return orders;
    }
    Orders operator()(const resize::TellProceed&) const {
        return to_members(wire::Proceed{plan.id});
    }
    Orders operator()(const resize::TellJoin& e) const {
        const auto everybody = directory.layout.with(plan.added).active;
        wire::Join join{plan.id, e.leader, wire::to_fields(everybody), e.background, {}, {}};
        if (!e.background) return to_newcomers(join);
        join.after = wire::LayoutFields(plan.after);
        // With `automatic` the default stays: nothing waits for these data, so messages between
        // pairs are good enough.
        if (plan.strategy.redistribution != plan::Executor::automatic)
            join.redistribution = plan.strategy.redistribution;
        return {{everybody, join}};
    }
    Orders operator()(const resize::TellAtPoint&) const {
        return to_newcomers(wire::Proceed{plan.id});
    }
    Orders operator()(const resize::TellAbandon& e) const {
        return to_members(wire::Abandon{plan.id, e.why.substr(0, wire::limits::text_bytes)});
    }
    Orders operator()(const resize::TellExitPermitted&) const {
        return {{plan.change().leaving, wire::ExitPermitted{}}};
    }
    Orders operator()(const resize::TellSkipFinalize&) const {
        auto ranks = directory.layout.active;
        const auto& parked = directory.layout.parked;
        ranks.insert(ranks.end(), parked.begin(), parked.end());
        return {{ranks, wire::SkipFinalize{}}};
    }
    template <class Other>
    Orders operator()(const Other&) const {
        return {};
    }
};

}  // namespace

std::vector<RankOrder> orders_for(const resize::Effect& effect, const resize::ResizePlan& plan,
                                  const RankDirectory& directory) {
    return std::visit(Translator{plan, directory}, effect);
}

}  // namespace ductile::broker
