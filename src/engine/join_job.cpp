#include "engine/join_job.hpp"

#include <utility>

#include "engine/move_ahead.hpp"
#include "engine/program_moves.hpp"

namespace ductile::engine {

namespace {

class JobJoin {
  public:
    JobJoin(const JoinSide& side, const JoinsWith& with, const MpiCalls& mpi)
        : side_(side), with_(with), mpi_(mpi), welcome_(with.link.welcome()) {}

    void connect() {
        if (side_.bridge) mpi_.join->enter(*side_.bridge);
        mpi_.join->handshake(side_, progress_);
        connected_ = mpi_.join->connect(side_, progress_);
    }

    // Receives frozen arrays while the program computes.
    void move_ahead() {
        const auto both = mpi_.join->exchange_state(connected_, {}, progress_, {});
        MoveAhead what(both, welcome_.base_ranks, {}, progress_, mpi_);
        what.agree();
        what.give_homes(with_.registry);
        ahead_ = what.move(welcome_.verify);
        with_.mail.wait_for<wire::Proceed>(with_.otherwise);
    }

    void hear_state() {
        const auto me = mpi_.peers->place_in(*side_.local);
        const OwnPart allocation{
            "new rank " + std::to_string(me.rank + 1) + " of " + std::to_string(me.size),
            [this](const JoinedSides& all) { allocate(all); }};
        mpi_.join->exchange_state(connected_, {}, progress_, allocation);
    }

    Membership take_over() {
        if (state_.memory == plan::Memory::keep) move();
        data::keep_parts(with_.registry, packed_.arrays, parts_);
        data::adopt_values(with_.registry, packed_);
        Membership membership;
        membership.comms = mpi_.join->comms_after(connected_, parties_, side_, progress_);
        mpi_.join->await_commit(side_, with_.mail);
        if (state_.memory == plan::Memory::tight) {
            with_.link.send(wire::JoinedJob{});  // from now on its death is that of a member
            move();
            mpi_.join->await_all_moved(*connected_.switching, progress_);
        }
        membership.layout = state_.layout;
        membership.point = state_.point;
        return membership;
    }

  private:
    void allocate(const JoinedSides& all) {
        const auto me = mpi_.peers->place_in(*all.comms.switching);
        state_ = unpack_join_state(all.state);
        packed_ = data::unpack_state(state_.packed);
        data::give_homes(with_.registry, packed_.arrays);
        parties_ = parties_of(state_, welcome_.base_ranks, me.size);
        parts_ = data::parts_with(ahead_, core::Rank{me.rank}, parties_, packed_.arrays);
    }

    void move() {
        mpi_.peers->move(state_.redistribution, *connected_.switching,
                         data::rest_after(ahead_, {parties_, packed_.arrays, parts_,
                                                   welcome_.verify, state_.memory}),
                         progress_);
        let_program_move(telling_moves(with_.schema, with_.link, welcome_.transaction),
                         *connected_.job, parties_);
    }

    const JoinSide& side_;
    const JoinsWith& with_;
    const MpiCalls& mpi_;
    const wire::RankWelcome& welcome_;
    data::Progress progress_;
    MemberComms connected_;  ///< all sources, then all newcomers
    data::MovedAhead ahead_;
    JoinState state_;  ///< the state of rank 0
    data::PackedState packed_;
    data::Parties parties_;
    std::vector<data::Block> parts_;
};

}  // namespace

Membership join_job(const JoinSide& side, bool background, const JoinsWith& with,
                    const MpiCalls& mpi) {
    JobJoin join(side, with, mpi);
    join.connect();
    if (background) join.move_ahead();
    join.hear_state();
    return join.take_over();
}

}  // namespace ductile::engine
