// Barriers of a world over several hosts while ranks leave and die and hosts are lost, in any
// order.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>
#include <string>

#include "pmi/one_world.hpp"

namespace ductile::pmi::barriers_test {
namespace {

enum class Action { put, barrier, finalize, ends, leaves, host_lost };

struct Step {
    int rank;
    Action action;
};

rc::Gen<Step> any_step() {
    const auto action = rc::gen::weightedElement<Action>({{8, Action::put},
                                                          {16, Action::barrier},
                                                          {1, Action::finalize},
                                                          {2, Action::ends},
                                                          {2, Action::leaves},
                                                          {1, Action::host_lost}});
    return rc::gen::map(rc::gen::pair(rc::gen::inRange(0, 8), action), [](const auto& pair) {
        return Step{pair.first, pair.second};
    });
}

/// Ranks that follow the protocol, and checks of what they get.
class Ranks {
  public:
    Ranks(int ranks, int hosts)
        : ranks_(static_cast<std::size_t>(ranks)), world_(options(ranks, hosts), names_) {
        for (int rank = 0; rank < ranks; ++rank) {
            world_.line(rank, "cmd=init pmi_version=1 pmi_subversion=1");
            RC_ASSERT(world_.take_lines().size() == 1U);
        }
    }

    void take(Step step) {
        const int rank = step.rank % world_.ranks();
        auto& own = ranks_[static_cast<std::size_t>(rank)];
        const bool speaks = step.action == Action::put || step.action == Action::barrier ||
                            step.action == Action::finalize;
        if (own.dead || (own.finalised && speaks)) return;
        switch (step.action) {
            case Action::put:
                return own.waits ? void() : put(rank);
            case Action::barrier:
                return own.waits ? void() : enter(rank);
            case Action::finalize:
                return own.waits ? void() : finalize(rank);
            case Action::ends:
                own.dead = true;
                world_.ended(rank);
                return settle();
            case Action::leaves:
                own.member = false;
                world_.leaves(rank);
                return settle();
            case Action::host_lost:
                return lose(world_.host(rank));
        }
    }
    [[nodiscard]] int barriers() const { return barriers_; }
    [[nodiscard]] std::size_t bytes() const { return world_.bytes(); }
    [[nodiscard]] std::size_t bytes_put() const { return bytes_put_; }

  private:
    struct One {
        bool waits = false;  // for the answer to barrier_in
        bool member = true;  // not leaving
        bool dead = false;
        bool finalised = false;     // it may run another program, so barriers wait for it
        std::set<std::string> put;  // since the last barrier
    };

    static OneWorldOptions options(int ranks, int hosts) {
        OneWorldOptions options;
        options.hosts = hosts;
        options.appnums.assign(static_cast<std::size_t>(ranks), 0);
        return options;
    }

    void put(int rank) {
        const auto key = "k" + std::to_string(next_++);
        bytes_put_ += 2 * key.size();
        world_.line(rank, "cmd=put kvsname=" + kvsname() + " key=" + key + " value=" + key);
        RC_ASSERT(world_.take_lines().size() == 1U);
        auto& own = ranks_[static_cast<std::size_t>(rank)];
        if (own.member) own.put.insert(key);
    }
    void enter(int rank) {
        ranks_[static_cast<std::size_t>(rank)].waits = true;
        world_.line(rank, "cmd=barrier_in");
        settle();
    }
    void finalize(int rank) {
        ranks_[static_cast<std::size_t>(rank)].finalised = true;
        world_.line(rank, "cmd=finalize");
        const auto lines = world_.take_lines();
        RC_ASSERT(lines.size() == 1U);
        RC_ASSERT(lines[0].line == "cmd=finalize_ack rc=0");
    }
    void lose(int host) {
        for (int rank = 0; rank < world_.ranks(); ++rank)
            if (world_.host(rank) == host) {
                ranks_[static_cast<std::size_t>(rank)].dead = true;
                ranks_[static_cast<std::size_t>(rank)].put.clear();
            }
        world_.host_lost(host);
        settle();
    }

    void settle() { settle(world_.take_lines()); }
    /// Each line answers a barrier_in. All members get their answers together. They never all wait.
    void settle(const std::vector<ToRank>& lines) {
        bool members = false;
        for (const auto& [rank, line] : lines) {
            auto& own = ranks_.at(static_cast<std::size_t>(rank.value));
            RC_ASSERT(line == "cmd=barrier_out rc=0");
            RC_ASSERT(own.waits && !own.dead);
            own.waits = false;
            members = members || own.member;
        }
        std::size_t waiting = 0, counted = 0, answered = 0;
        for (const auto& own : ranks_) {
            RC_ASSERT(own.member || own.dead || !own.waits);
            counted += own.member && !own.dead ? 1U : 0U;
            waiting += own.member && !own.dead && own.waits ? 1U : 0U;
        }
        for (const auto& [rank, line] : lines)
            answered += ranks_[static_cast<std::size_t>(rank.value)].member ? 1U : 0U;
        RC_ASSERT(waiting < counted || counted == 0U);
        RC_ASSERT(!members || answered == counted);
        if (members) look_at_keys(lines);
    }
    void look_at_keys(const std::vector<ToRank>& lines) {
        ++barriers_;
        for (auto& own : ranks_) seen_.merge(own.put);
        for (auto& own : ranks_) own.put.clear();
        for (const auto& [rank, line] : lines)
            for (const auto& key : seen_) {
                world_.line(rank.value, "cmd=get kvsname=" + kvsname() + " key=" + key);
                const auto value = world_.take_lines();
                RC_ASSERT(value.size() == 1U);
                if (ranks_[static_cast<std::size_t>(rank.value)].member)
                    RC_ASSERT(value[0].line == "cmd=get_result rc=0 msg=success value=" + key);
            }
    }
    [[nodiscard]] const std::string& kvsname() const { return world_.kvsname().text(); }

    std::vector<One> ranks_;
    NameTable names_;
    OneWorld world_;
    std::set<std::string> seen_;  // that every member must see
    int next_ = 0;
    int barriers_ = 0;
    std::size_t bytes_put_ = 0;
};

RC_GTEST_PROP(Barriers, EachIsAnsweredOnceAndNoKeyIsLost, ()) {
    const int ranks = *rc::gen::inRange(1, 9), hosts = *rc::gen::inRange(1, 5);
    const auto steps = *rc::gen::container<std::vector<Step>>(any_step());
    Ranks world(ranks, hosts);
    for (const auto& step : steps) world.take(step);
    const std::size_t mapping = 64;  // its key and value
    RC_ASSERT(world.bytes() <= 4 * (world.bytes_put() + mapping));
    RC_TAG(std::min(world.barriers(), 5));
}

// Each rank runs one program after the other: it names itself, passes a barrier and reads the names
// of all. Whatever the order, it reads those of the same program.
RC_GTEST_PROP(Barriers, ProgramsInARowDoNotMeet, ()) {
    const int ranks = *rc::gen::inRange(1, 6), hosts = *rc::gen::inRange(1, 4);
    constexpr int programs = 3;
    OneWorldOptions options;
    options.hosts = hosts;
    options.appnums.assign(static_cast<std::size_t>(ranks), 0);
    NameTable names;
    OneWorld world(options, names);
    struct One {
        int program = 0, step = 0;
        bool waits = false;
        std::string kvsname;
    };
    std::vector<One> all(static_cast<std::size_t>(ranks));
    std::map<int, std::set<std::string>> kvsnames;
    const auto hear = [&] {
        auto lines = world.take_lines();
        for (const auto& [rank, line] : lines) {
            all.at(static_cast<std::size_t>(rank.value)).waits = false;
            if (const auto at = line.find("my_kvsname kvsname="); at != line.npos)
                all.at(static_cast<std::size_t>(rank.value)).kvsname =
                    line.substr(at + 19, line.find(" rc=") - at - 19);
        }
        return lines;
    };
    for (int left = ranks * programs * 20; left > 0; --left) {
        const int rank = *rc::gen::inRange(0, ranks);
        auto& own = all[static_cast<std::size_t>(rank)];
        if (own.waits || own.program == programs) continue;
        own.waits = true;
        const auto of = " kvsname=" + own.kvsname + " key=k";
        switch (own.step++) {
            case 0:
                if (own.program > 0) world.next_program(rank);
                world.line(rank, "cmd=init pmi_version=1 pmi_subversion=1");
                break;
            case 1:
                world.line(rank, "cmd=get_my_kvsname");
                break;
            case 2:
                kvsnames[own.program].insert(own.kvsname);
                world.line(rank, "cmd=put" + of + std::to_string(rank) +
                                     " value=" + std::to_string(own.program));
                break;
            case 3:
                world.line(rank, "cmd=barrier_in");
                break;
            case 4: {
                const int other = *rc::gen::inRange(0, ranks);
                world.line(rank, "cmd=get" + of + std::to_string(other));
                const auto lines = hear();
                RC_ASSERT(lines.size() == 1U);
                RC_ASSERT(lines[0].line ==
                          "cmd=get_result rc=0 msg=success value=" + std::to_string(own.program));
                break;
            }
            default:
                world.line(rank, "cmd=finalize");
                own.step = 0;
                ++own.program;
        }
        hear();
        RC_ASSERT(world.take_effects().size() <= 1U);  // Finalized
    }
    std::set<std::string> different;
    for (const auto& [program, of_program] : kvsnames) {
        RC_ASSERT(of_program.size() == 1U);
        RC_ASSERT(different.insert(*of_program.begin()).second);
    }
    RC_TAG(kvsnames.size());
}

// Every sequence of four steps. In a step one of three ranks enters a barrier, finalises, ends,
// leaves or loses its host.
TEST(Barriers, EveryOrderOfThreeRanks) {
    const Action actions[] = {Action::barrier, Action::finalize, Action::ends, Action::leaves,
                              Action::host_lost};
    for (int hosts : {1, 2, 3})
        for (int code = 0; code < 15 * 15 * 15 * 15; ++code) {
            Ranks world(3, hosts);
            for (int rest = code, i = 0; i < 4; ++i, rest /= 15)
                world.take({rest % 15 % 3, actions[rest % 15 / 3]});
        }
}

}  // namespace
}  // namespace ductile::pmi::barriers_test
