// What the CBOR check lets through, and what a hostile peer may send.
#include "wire/cbor_check.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>

#include "ductile/error.hpp"
#include "wire/fields.hpp"
#include "wire/frame.hpp"

namespace ductile::wire::cbor_check_test {
namespace {

std::string hex(std::string_view digits) {
    std::string bytes;
    for (std::size_t i = 0; i + 1 < digits.size(); i += 2)
        bytes += static_cast<char>(std::stoi(std::string(digits.substr(i, 2)), nullptr, 16));
    return bytes;
}

std::string repeated(std::string_view bytes, int times) {
    std::string result;
    for (int i = 0; i < times; ++i) result += bytes;
    return result;
}

TEST(CborCheck, WhatFramesAreMadeOfPasses) {
    const Json message = {{"a", {1, -1, 1.5, true, false, nullptr, "text", Json::array()}},
                          {"b", {{"c", Json::binary({1, 2, 3})}, {"d", Json::object()}}},
                          {"e", std::uint64_t{1} << 63},
                          {"f", std::string(70000, 'x')}};
    const auto frame = to_frame(Message(message));
    EXPECT_NO_THROW(check_cbor(std::string_view(frame).substr(4)));
}

TEST(CborCheck, DepthIsBounded) {
    EXPECT_NO_THROW(check_cbor(repeated("\x81", max_cbor_depth) + "\x01"));
    EXPECT_THROW(check_cbor(repeated("\x81", max_cbor_depth + 1) + "\x01"), InputError);
    for (const char* deep : {"7f", "5f", "9f", "bf", "81", "a16161", "d8", "c0"})
        EXPECT_THROW(check_cbor(repeated(hex(deep), 100000)), InputError) << deep;
}

TEST(CborCheck, LengthsAreThoseOfTheFrame) {
    for (const char* digits :
         {"bb8000000000000000", "9b8000000000000000", "7b8000000000000000", "5b8000000000000000",
          "bbffffffffffffffff", "9bffffffffffffffff", "7bffffffffffffffff", "6361", "a1", "a16161",
          "82", "8201", "18", "1b00", "", "a20001"})
        EXPECT_THROW(check_cbor(hex(digits)), InputError) << digits;
}

TEST(CborCheck, OnlyOneItemOfTheKnownKinds) {
    for (const char* digits : {"0101", "f7", "f800", "ff", "a1010a", "a1f6f6", "1c", "1f", "fc"})
        EXPECT_THROW(check_cbor(hex(digits)), InputError) << digits;
}

// The parser parses whatever passes the check, without an exception.
RC_GTEST_PROP(CborCheck, WhatPassesIsParsed, (const std::string& bytes)) {
    try {
        check_cbor(bytes);
    } catch (const InputError&) {
        return;
    }
    RC_ASSERT_FALSE(Json::from_cbor(bytes, true, false).is_discarded());
}

TEST(Frame, HostileContentIsRefusedAndNothingElseIsThrown) {
    for (const auto& content : {repeated("\x7f", 100000), hex("bb8000000000000000"),
                                repeated(hex("bf"), 100000), repeated("\x81", 100000)}) {
        FrameReader reader;
        std::string header(4, '\0');
        for (std::size_t i = 0; i < 4; ++i)
            header[i] = static_cast<char>(content.size() >> (8 * i) & 0xff);
        reader.add(header + content);
        EXPECT_THROW(reader.next(), InputError);
    }
}

}  // namespace
}  // namespace ductile::wire::cbor_check_test
