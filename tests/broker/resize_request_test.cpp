#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "broker/resize_request_wire.hpp"
#include "wire/fields.hpp"

namespace ductile::broker::resize_request_test {
namespace {

using plan::Method;

/// The request as it arrives at the other side.
std::optional<ResizeRequest> sent(const ResizeRequest& request) {
    const auto json = wire::encode_json(wire::Request{to_wire(request)});
    return request_from(std::get<wire::ResizeRequest>(wire::decode_json<wire::Request>(json)),
                        core::is_no_host);
}

/// What the message says under this key.
nlohmann::json said(const ResizeRequest& request, const char* key) {
    return wire::encode_json(wire::Request{to_wire(request)}).at(key);
}

ResizeRequest to(int size) {
    ResizeRequest request;
    request.goal = NewSize{core::SizeRange::exactly(size)};
    return request;
}

TEST(ResizeRequest, EachFieldComesBackAsItWas) {
    const auto changed = [](auto change) {
        auto request = to(4);
        change(request);
        EXPECT_NE(request, to(4));
        EXPECT_EQ(sent(request), request);
    };
    changed([](auto& request) { request.goal = NewSize{{2, 8}}; });
    changed([](auto& request) { request.goal = NewSize{{4, 4}, SizeUnit::hosts}; });
    changed([](auto& request) { request.goal = GiveBack{{{"a"}, {"b", 2}}}; });
    changed([](auto& request) { request.goal = Renewal{}; });
    changed([](auto& request) { request.reclaim = {{"a", 1}, {"b"}}; });
    changed([](auto& request) { request.wait = true; });
    changed([](auto& request) { request.dry_run = true; });
    changed([](auto& request) { request.replace = true; });
    changed([](auto& request) { request.switch_within_s = 2.5; });
    changed([](auto& request) { request.method = CheapestStrategy{}; });
}

TEST(ResizeRequest, EachNamedWayHasThatNameInTheMessage) {
    const auto as = [](auto change) {
        auto request = to(4);
        change(request);
        EXPECT_EQ(sent(request), request);
        return request;
    };
    for (const auto method : plan::all_methods)
        EXPECT_EQ(said(as([&](auto& request) { request.method = method; }), "method"),
                  to_string(method));
    for (const auto start : plan::all_starts)
        EXPECT_EQ(said(as([&](auto& request) { request.start = start; }), "start"),
                  to_string(start));
    for (const auto overlap : plan::all_overlaps)
        EXPECT_EQ(said(as([&](auto& request) { request.overlap = overlap; }), "overlap"),
                  to_string(overlap));
    for (const auto joining : plan::all_joinings)
        EXPECT_EQ(said(as([&](auto& request) { request.joining = joining; }), "join"),
                  to_string(joining));
    for (const auto memory : plan::all_memories)
        EXPECT_EQ(said(as([&](auto& request) { request.memory = memory; }), "memory"),
                  to_string(memory));
    for (const auto executor : plan::executor_choices)
        EXPECT_EQ(
            said(as([&](auto& request) { request.redistribution = executor; }), "redistribution"),
            to_string(executor));
    for (const auto kind : plan::all_shrink_kinds)
        EXPECT_EQ(said(as([&](auto& request) { request.shrink = kind; }), "shrink"),
                  to_string(kind));
    EXPECT_EQ(said(as([](auto& request) { request.method = CheapestStrategy{}; }), "method"),
              "auto");
    for (const auto* key :
         {"method", "start", "overlap", "join", "redistribution", "memory", "shrink"})
        EXPECT_EQ(said(to(4), key), "standard");
}

// A broker that takes the job over reads what the one before it wrote.
TEST(ResizeRequest, AMessageHasTheFieldsThatItAlwaysHad) {
    auto request = to(7);
    request.reclaim = {{"b"}};
    EXPECT_EQ(wire::encode_json(wire::Request{to_wire(request)}), nlohmann::json::parse(R"({
        "type": "resize", "size": {"lower": 7, "upper": 7}, "unit": "ranks", "release": [],
        "reclaim": ["b"], "wait": false, "dry_run": false,
        "replace": false, "renew": false, "switch_within_s": 0.0, "method": "standard",
        "start": "standard", "overlap": "standard", "join": "standard",
        "redistribution": "standard", "memory": "standard",
        "shrink": "standard"})"));
    request.goal = GiveBack{{{"a", 3}}};
    EXPECT_EQ(said(request, "size"), nlohmann::json::parse(R"({"lower": 0, "upper": 0})"));
    EXPECT_EQ(said(request, "release"), nlohmann::json::parse(R"(["a:3"])"));
    request.goal = Renewal{};
    EXPECT_EQ(said(request, "renew"), true);
}

TEST(ResizeRequest, AMessageWithoutAGoalAsksForNothing) {
    wire::ResizeRequest message;
    EXPECT_EQ(request_from(message, core::is_no_host), std::nullopt);
    message.unit = wire::SizeUnit::hosts;
    message.reclaim = {"a:1"};
    EXPECT_EQ(request_from(message, core::is_no_host), std::nullopt);
}

TEST(ResizeRequest, OfSeveralGoalsHostsToGiveBackComeFirst) {
    wire::ResizeRequest message;
    message.size = core::SizeRange{2, 3};
    message.renew = true;
    EXPECT_TRUE(request_from(message, core::is_no_host)->renews());
    message.release = {"a", "fd00::2:1", "b:x"};
    const auto is_host = [](std::string_view name) { return name == "fd00::2"; };
    ASSERT_NE(request_from(message, is_host)->release(), nullptr);
    EXPECT_EQ(request_from(message, is_host)->release()->hosts,
              (std::vector<core::HostShare>{{"a"}, {"fd00::2", 1}, {"b:x"}}));
}

template <class Values>
std::optional<typename Values::value_type> any_or_none(const Values& values) {
    if (*rc::gen::arbitrary<bool>()) return std::nullopt;
    return *rc::gen::elementOf(values);
}

std::vector<core::HostShare> any_shares(int least) {
    std::vector<core::HostShare> shares(static_cast<std::size_t>(*rc::gen::inRange(least, 4)));
    for (auto& share : shares) {
        share.host = *rc::gen::element("a", "node02", "fe80::1");
        if (*rc::gen::arbitrary<bool>()) share.ranks = *rc::gen::inRange(1, 1 << 20);
    }
    return shares;
}

ResizeRequest any_request() {
    ResizeRequest request;
    const int lower = *rc::gen::inRange(1, 1 << 20);
    const NewSize size{{lower, *rc::gen::inRange(lower, 1 << 20)},
                       *rc::gen::element(SizeUnit::ranks, SizeUnit::hosts)};
    switch (*rc::gen::inRange(0, 3)) {
        case 0:
            request.goal = size;
            break;
        case 1:
            request.goal = GiveBack{any_shares(1)};
            break;
        default:
            request.goal = Renewal{};
    }
    request.reclaim = any_shares(0);
    request.wait = *rc::gen::arbitrary<bool>();
    request.dry_run = *rc::gen::arbitrary<bool>();
    request.replace = *rc::gen::arbitrary<bool>();
    request.method = *rc::gen::element<MethodWish>(MethodOfJob{}, CheapestStrategy{}, Method::merge,
                                                   Method::baseline);
    request.start = any_or_none(plan::all_starts);
    request.overlap = any_or_none(plan::all_overlaps);
    request.joining = any_or_none(plan::all_joinings);
    request.redistribution = any_or_none(plan::executor_choices);
    request.memory = any_or_none(plan::all_memories);
    request.shrink = any_or_none(plan::all_shrink_kinds);
    request.switch_within_s = *rc::gen::inRange(0, 1000) / 4.0;
    return request;
}

RC_GTEST_PROP(ResizeRequest, ComesBackAsItWas, ()) {
    const auto request = any_request();
    RC_ASSERT(sent(request) == request);
}

}  // namespace
}  // namespace ductile::broker::resize_request_test
