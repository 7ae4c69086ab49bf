// Frames: round trips of every message, bounds, and what a hostile peer may send.
#include "wire/frame.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "wire/agent_messages.hpp"
#include "wire/local_messages.hpp"
#include "wire/request_messages.hpp"

namespace ductile::wire::frame_test {
namespace {

using Json = nlohmann::json;

/// Encodes, frames, unframes, decodes and encodes again: nothing may change.
template <class Family>
void expect_round_trip(const Family& message) {
    FrameReader reader;
    reader.add(to_frame(message));
    const auto json = reader.next();
    ASSERT_TRUE(json.has_value());
    const auto back = decode<Family>(*json);
    EXPECT_EQ(encode(back).content(), encode(message).content());
    EXPECT_EQ(back.index(), message.index());
    EXPECT_FALSE(reader.next().has_value());
}

/// Fills every field of a message with a value that its bounds allow.
struct Fill {
    int next = 1;
    template <class Number>
    void number(const char*, Number& value, std::int64_t low, std::int64_t high) {
        value = static_cast<Number>(std::min(high, low + next++));
    }
    template <class IdType>
    void id(const char*, IdType& value) {
        value.value = next++;
    }
    void flag(const char*, bool& value) { value = true; }
    void seconds(const char*, double& value) { value = 0.25 * next++; }
    void real(const char*, double& value, double, double) { value = 0.25 * next++; }
    void text(const char*, std::string& value, std::size_t) {
        value = "text " + std::to_string(next++);
    }
    void bytes(const char*, std::string& value, std::size_t) { value = std::string("\0\xff\n", 3); }
    void texts(const char*, std::vector<std::string>& value, std::size_t, std::size_t) {
        value = {"one", "", "A=b c"};
    }
    template <class IdType>
    void ids(const char*, std::vector<IdType>& value, std::size_t) {
        value = {IdType{3}, IdType{1}};
    }
    template <class Enum>
    void choice(const char*, Enum& value, const std::vector<std::string_view>& words) {
        value = static_cast<Enum>(words.size() - 1);
    }
    template <class Item>
    void list(const char*, std::vector<Item>& value, std::size_t) {
        value.assign(2, Item{});
        for (auto& item : value) item.visit(*this);
    }
    template <class Object>
    void object(const char*, Object& value) {
        value.visit(*this);
    }
    template <class... Types>
    void message(const char*, std::variant<Types...>& value) {
        std::visit([this](auto& one) { one.visit(*this); }, value);
    }
};

template <class Family, std::size_t index = 0>
void expect_round_trips() {
    if constexpr (index < std::variant_size_v<Family>) {
        std::variant_alternative_t<index, Family> filled;
        Fill fill;
        filled.visit(fill);
        SCOPED_TRACE(std::string(filled.name));
        expect_round_trip(Family{filled});
        expect_round_trips<Family, index + 1>();
    }
}

TEST(Frame, EveryMessageOfEveryFamilyComesBackAsItWas) {
    expect_round_trips<FromRank>();
    expect_round_trips<ToRank>();
    expect_round_trips<FromLocal>();
    expect_round_trips<FromShim>();
    expect_round_trips<ToShim>();
    expect_round_trips<ToRemoteLaunch>();
    expect_round_trips<FromAgent>();
    expect_round_trips<ToAgent>();
    expect_round_trips<FromStream>();
    expect_round_trips<ToStream>();
    expect_round_trips<Request>();
    expect_round_trips<Answer>();
}

TEST(Frame, PiecesOfAnySizeGiveTheSameMessages) {
    std::string bytes;
    for (int i = 0; i < 20; ++i)
        bytes += to_frame(FromAgent{Notice{std::string(static_cast<std::size_t>(i) * 97, 'x')}});
    for (const std::size_t piece : {1u, 2u, 3u, 5u, 64u, 1000u, 100000u}) {
        FrameReader reader;
        std::size_t count = 0;
        for (std::size_t at = 0; at < bytes.size(); at += piece) {
            reader.add(std::string_view(bytes).substr(at, piece));
            while (const auto json = reader.next())
                EXPECT_EQ(std::get<Notice>(decode<FromAgent>(*json)).text.size(), 97 * count++);
        }
        EXPECT_EQ(count, 20u) << piece;
    }
}

TEST(Frame, TruncatedFrameIsWaitedFor) {
    const auto frame = to_frame(ToAgent{KillRun{GroupId{3}}});
    for (std::size_t length = 0; length < frame.size(); ++length) {
        FrameReader reader;
        reader.add(std::string_view(frame).substr(0, length));
        EXPECT_FALSE(reader.next().has_value()) << length;
    }
}

std::string framed(const std::string& content) {
    std::string frame(4, '\0');
    for (std::size_t i = 0; i < 4; ++i)
        frame[i] = static_cast<char>((content.size() >> (8 * i)) & 0xff);
    return frame + content;
}

TEST(Frame, HostileBytesAreRefused) {
    const std::string cases[] = {
        std::string("\xff\xff\xff\xff", 4),              // 4 GiB announced
        std::string("\x01\x00\x80\x00", 4),              // one byte above the limit
        framed("GET / HTTP/1.1\r\n\r\n"),                // not CBOR
        framed(""),                                      // nothing
        framed(std::string(3'000'000, '\x81')),          // lists in lists in lists
        framed(std::string(200'000, '\xa1')),            // maps without keys
        framed("\x9b\xff\xff\xff\xff\xff\xff\xff\xff"),  // a list of 2^64-1 items
        framed("\x5b\x7f\xff\xff\xff\xff\xff\xff\xff"
               "a"),                         // a string of 2^63-1 bytes
        framed(std::string("\xa0\xa0", 2)),  // two values in one frame
    };
    int number = 0;
    for (const auto& bytes : cases) {
        FrameReader reader;
        reader.add(bytes);
        EXPECT_THROW(reader.next(), InputError) << "case " << number;
        ++number;
    }
}

TEST(Frame, MessageLargerThanAFrameIsNotSent) {
    const Json json = {{"type", "notice"}, {"text", std::string(limits::frame_bytes, 'x')}};
    EXPECT_THROW(to_frame(Message(json)), Error);
}

struct BadField {
    Json message;
    const char* place;
};

TEST(Frame, BadFieldsAreNamed) {
    const Json good =
        encode(FromAgent{RankEnded{GroupId{1}, Rank{0}, 3, 0, true, false, ""}}).content();
    const auto with = [&good](const char* key, Json value) {
        Json changed = good;
        changed[key] = std::move(value);
        return changed;
    };
    Json without = good;
    without.erase("code");
    const BadField cases[] = {
        {with("code", 256), "rank_ended.code"},
        {with("code", -1), "rank_ended.code"},
        {with("code", "3"), "rank_ended.code"},
        {with("code", 3.5), "rank_ended.code"},
        {with("code", 18446744073709551615ull), "rank_ended.code"},
        {without, "rank_ended.code is missing"},
        {with("hello", 1), "rank_ended.hello"},
        {with("group", INT64_MAX), "rank_ended.group"},
        {with("why", std::string(limits::text_bytes + 1, 'x')), "rank_ended.why"},
        {with("type", "nonsense"), "unknown type 'nonsense'"},
        {with("type", 7), "has no type"},
        {Json::array(), "has no type"},
        {Json(), "has no type"},
    };
    EXPECT_NO_THROW(static_cast<void>(decode<FromAgent>(Message(good))));
    for (const auto& one : cases) {
        try {
            static_cast<void>(decode<FromAgent>(Message(one.message)));
            ADD_FAILURE() << "accepted: " << one.message;
        } catch (const InputError& error) {
            EXPECT_NE(std::string(error.what()).find(one.place), std::string::npos) << error.what();
        }
    }
}

TEST(Frame, MessageOfAnotherFamilyIsRefused) {
    EXPECT_THROW((void)decode<FromRank>(encode(ToAgent{KillRun{GroupId{1}}})), InputError);
    EXPECT_THROW((void)decode<ToAgent>(encode(FromAgent{AgentGoodbye{}})), InputError);
}

}  // namespace
}  // namespace ductile::wire::frame_test
