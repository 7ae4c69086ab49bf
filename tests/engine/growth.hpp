// A member, which is not rank 0, in a resize with newcomers. The test plays the broker, the other
// source and the newcomer. No MPI runs here.
#pragma once

#include <chrono>
#include <thread>

#include "engine/member.hpp"
#include "fake_channel.hpp"
#include "fake_join_steps.hpp"

namespace ductile::engine {

inline constexpr core::TransactionId first{4};
inline const core::Group added{core::GroupId{1}, core::HostIndex{1}, 1, {}};

inline core::Layout before() {
    return core::Layout::of({{core::GroupId{0}, core::HostIndex{0}, 2, {}}});
}

/// Rank 1 of two. It has not entered a point yet.
struct Growth {
    FakeMpi mpi;
    std::shared_ptr<FakeChannel> agent = std::make_shared<FakeChannel>();
    Member member{agent,
                  mpi.calls(),
                  std::make_shared<data::Registry>(),
                  std::make_shared<Hooks>(),
                  core::Process{core::GroupId{0}, core::Rank{1}},
                  [] { return 12.5; }};

    Growth() {
        agent->answer.progress_s = 30;
        JoinState state;
        state.layout = before().with({added});
        state.targets = first_ranks(3);
        state.packed = data::pack_state({}, {});
        mpi.join->all = {1, 3};
        mpi.join->state = pack_join_state(state);
        Membership membership;
        membership.comms = mpi.peers->job({1, 2});
        membership.layout = before();
        member.begin(std::move(membership));
    }
    /// Orders a background join, and returns the member's report.
    wire::SourceJoined join() {
        wire::Join order;
        order.transaction = first;
        order.background = true;
        order.everybody = wire::to_fields(before().with({added}).active);
        order.after = wire::LayoutFields(before().with({added}));
        member.on_message(order);
        while (!agent->has_said<wire::SourceJoined>())
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        return agent->take_only<wire::SourceJoined>().value();
    }
    Resized pass_point(bool joined = false) {
        member.on_message(wire::Prepare{first, 1});
        while (!agent->has_said<wire::PointAnswer>())
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        agent->take();
        wire::Decision decision;
        decision.transaction = first;
        decision.point = 1;
        decision.added = {wire::GroupFields{added}};
        decision.after = wire::LayoutFields(before().with({added}));
        decision.joined = joined;
        member.on_message(decision);
        return member.resize_point();
    }
    wire::SwitchDone report() { return std::get<wire::SwitchDone>(agent->take().back()); }
};

}  // namespace ductile::engine
