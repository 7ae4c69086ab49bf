// Layouts and ranges of ranks in messages.
#include "wire/group_fields.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "wire/fields.hpp"
#include "wire/frame.hpp"
#include "wire/request_messages.hpp"
#include "wire/to_agent_messages.hpp"
#include "wire/to_rank_messages.hpp"

namespace ductile::wire::group_fields_test {
namespace {

/// Ranks 0, 2 and 4 of g0 and rank 1 of g7 are active, and rank 3 of g0 is parked.
core::Layout interleaved() {
    return core::Layout::of(
               {{GroupId{0}, HostIndex{0}, 5, {{HostIndex{1}, 2}}}, {GroupId{7}, HostIndex{1}, 2}})
        .without({Rank{1}, Rank{5}}, {Rank{3}});
}

Json decide() {
    Decision message;
    message.after = LayoutFields(interleaved());
    return encode_json(ToRank{message});
}

std::string objection(const Json& json) {
    try {
        static_cast<void>(decode_json<ToRank>(json));
    } catch (const InputError& error) {
        return error.what();
    }
    return "";
}

TEST(LayoutFields, ComeBackAsTheyWere) {
    EXPECT_EQ(std::get<Decision>(decode_json<ToRank>(decide())).after, interleaved());
    auto on_hosts = interleaved();
    on_hosts.slots = {{HostIndex{0}, 4}, {HostIndex{7}, 0}};
    for (const auto& layout : {core::Layout{}, interleaved(), on_hosts}) {
        Commit commit;
        commit.layout = LayoutFields(layout);
        EXPECT_EQ(std::get<Commit>(decode_json<ToRank>(encode_json(ToRank{commit}))).layout,
                  layout);
    }
}

TEST(LayoutFields, HaveTheLocalRanks) {
    Commit commit;
    commit.layout = LayoutFields(interleaved());
    commit.layout.local_ranks.add({GroupId{0}, Rank{0}}, 3);
    commit.layout.local_ranks.add({GroupId{0}, Rank{1}}, 4);
    commit.layout.local_ranks.add({GroupId{1}, Rank{0}}, 0);
    auto json = encode_json(ToRank{commit});
    const auto read = std::get<Commit>(decode_json<ToRank>(json)).layout.local_ranks;
    EXPECT_EQ(read.ranges(), commit.layout.local_ranks.ranges());
    EXPECT_EQ(read.ranges().size(), 2u);
    std::swap(json["layout"]["local_ranks"][0], json["layout"]["local_ranks"][1]);
    EXPECT_THROW(decode_json<ToRank>(json), InputError);
}

TEST(LayoutFields, NameTheFieldThatIsBad) {
    const auto changed = [](auto change) {
        auto json = decide();
        change(json["after"]);
        return objection(json);
    };
    const auto names = [](const std::string& why, const char* field) {
        return why.find(field) != std::string::npos;
    };
    EXPECT_EQ(objection(decide()), "");
    EXPECT_TRUE(names(changed([](Json& after) { after = 7; }), "decision.after"));
    EXPECT_TRUE(names(changed([](Json& after) { after = nullptr; }), "decision.after"));
    EXPECT_TRUE(
        names(changed([](Json& after) { after.erase("active"); }), "decision.after.active"));
    EXPECT_TRUE(names(changed([](Json& after) { after["parked"] = 1; }), "decision.after.parked"));
    const struct {
        const char* field;
        std::int64_t value;
    } bad[] = {{"ranks", 0},
               {"ranks", -1},
               {"ranks", limits::ranks + 1},
               {"first", -1},
               {"first", limits::ranks + 1},
               {"host", -2},
               {"group", limits::ids}};
    for (const auto* list : {"active", "parked"})
        for (const auto& one : bad) {
            const auto why = changed([&](Json& after) { after[list][0][one.field] = one.value; });
            EXPECT_TRUE(names(why, one.field)) << list << " " << why;
        }
    auto json = decide();
    json.erase("after");
    EXPECT_TRUE(names(objection(json), "after is missing"));
}

// Each range may be within its own bounds, and still all ranges together have too many ranks for a
// job.
TEST(LayoutFields, HaveNoMoreRanksThanAJobMay) {
    const auto layout = [](std::int64_t first, std::int64_t second, std::int64_t parked) {
        auto json = decide();
        const auto range = [](int group, std::int64_t ranks) {
            return Json{{"group", group}, {"host", group}, {"first", 0}, {"ranks", ranks}};
        };
        json["after"]["active"] = {range(0, first), range(1, second)};
        json["after"]["parked"] = Json::array();
        if (parked > 0) json["after"]["parked"].push_back(range(2, parked));
        return objection(json);
    };
    EXPECT_EQ(layout(limits::ranks - 1, 1, 0), "");
    EXPECT_EQ(layout(limits::ranks - 2, 1, 1), "");
    EXPECT_NE(layout(limits::ranks, 1, 0).find("1048577 ranks"), std::string::npos);
    EXPECT_NE(layout(limits::ranks - 1, 1, 1), "");
    EXPECT_NE(layout(limits::ranks, limits::ranks, limits::ranks), "");
}

TEST(LayoutFields, HaveNoMoreRangesThanTheirLimit) {
    for (const auto* list : {"active", "parked"}) {
        auto json = decide();
        Json ranges = Json::array();
        for (std::size_t i = 0; i <= limits::ranges; ++i)
            ranges.push_back({{"group", 0}, {"host", 0}, {"first", i}, {"ranks", 1}});
        json["after"][list] = ranges;
        EXPECT_NE(objection(json).find("more than 65536 items"), std::string::npos);
        // The most that there may be fit into a frame.
        json["after"][list].erase(0);
        EXPECT_EQ(objection(json), "");
        EXPECT_LT(to_frame(decode_json<ToRank>(json)).size(), limits::frame_bytes);
    }
}

RC_GTEST_PROP(LayoutFields, AnyLayoutComesBack, ()) {
    auto layout = core::Layout::of(
        {{GroupId{0}, HostIndex{0}, 40, {{HostIndex{1}, 20}}}, {GroupId{3}, HostIndex{1}, 20}});
    std::set<Rank> leave, park;
    for (const int rank : *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 60)))
        (*rc::gen::arbitrary<bool>() ? leave : park).insert(Rank{rank});
    layout = layout.without(leave, park);
    Commit commit;
    commit.layout = LayoutFields(layout);
    RC_ASSERT(std::get<Commit>(decode_json<ToRank>(encode_json(ToRank{commit}))).layout == layout);
}

TEST(Ranges, ReachTheAgentAsTheyAre) {
    RanksLeave order;
    order.ranks = to_fields(interleaved().active);
    const auto leave = std::get<RanksLeave>(decode_json<ToAgent>(encode_json(ToAgent{order})));
    EXPECT_EQ(to_ranges(leave.ranks), interleaved().active);
    const ToRanks pass{to_fields(interleaved().parked), ExitPermitted{}};
    const auto passed = std::get<ToRanks>(decode_json<ToAgent>(encode_json(ToAgent{pass})));
    EXPECT_EQ(to_ranges(passed.ranks), interleaved().parked);
    EXPECT_TRUE(std::holds_alternative<ExitPermitted>(passed.message));
    auto json = encode_json(ToAgent{order});
    json["ranks"][0]["ranks"] = 0;
    EXPECT_THROW(decode_json<ToAgent>(json), InputError);
}

TEST(ResizeSizes, AreARangeOrNone) {
    const auto through = [](const std::optional<core::SizeRange>& size) {
        ResizeRequest request;
        request.size = size;
        return std::get<ResizeRequest>(decode_json<Request>(encode_json(Request{request}))).size;
    };
    for (const auto& range : {core::SizeRange{1, 1}, {2, 8}, {1, 1 << 20}})
        EXPECT_EQ(through(range), range);
    EXPECT_EQ(through(std::nullopt), std::nullopt);
    const std::pair<std::int64_t, std::int64_t> refused[] = {
        {0, 1}, {2, 1}, {1, 0}, {-1, 1}, {-1, -1}, {1, limits::ranks + 1}};
    for (const auto& [lower, upper] : refused) {
        auto json = encode_json(Request{ResizeRequest{}});
        json["size"] = {{"lower", lower}, {"upper", upper}};
        EXPECT_THROW(decode_json<Request>(json), InputError) << lower << ":" << upper;
    }
    auto json = encode_json(Request{ResizeRequest{}});
    json["size"] = 2;
    EXPECT_THROW(decode_json<Request>(json), InputError);
}

TEST(HostsToGiveBack, AreWords) {
    ResizeRequest request;
    request.release = {"node02:2", "fd00::2"};
    request.reclaim = {"node04"};
    EXPECT_EQ(std::get<ResizeRequest>(decode_json<Request>(encode_json(Request{request}))),
              request);
    for (const auto& bad : {Json(7), Json(std::string(300, 'x'))}) {
        auto json = encode_json(Request{request});
        json["release"][0] = bad;
        EXPECT_THROW(decode_json<Request>(json), InputError) << bad;
    }
}

}  // namespace
}  // namespace ductile::wire::group_fields_test
