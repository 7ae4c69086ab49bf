// Exceptions of the C++ interface become error codes of the C interface.
#include "job/c_call.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <new>
#include <stdexcept>
#include <string>

namespace ductile::c::c_call_test {
namespace {

template <class Exception>
std::function<void()> throwing(const Exception& exception) {
    return [exception] { throw exception; };
}

TEST(CCall, ExceptionsBecomeCodes) {
    const struct {
        std::function<void()> call;
        int code;
        const char* says;
    } table[] = {
        {[] {}, DUCTILE_SUCCESS, ""},
        {throwing(InputError("7 is too much")), DUCTILE_ERR_INPUT, "7 is too much"},
        {throwing(UsageError("not now")), DUCTILE_ERR_USAGE, "not now"},
        {throwing(MpiError("send failed", "MPI_Send", 1, 1)), DUCTILE_ERR_MPI, "send failed"},
        {throwing(SystemError("no host")), DUCTILE_ERR_SYSTEM, "no host"},
        {throwing(TimeoutError("too late")), DUCTILE_ERR_TIMEOUT, "too late"},
        {throwing(Error("who knows")), DUCTILE_ERR_OTHER, "who knows"},
        {throwing(std::bad_alloc()), DUCTILE_ERR_MEMORY, "not enough memory"},
        {throwing(std::logic_error("oh")), DUCTILE_ERR_OTHER, "oh"},
        {throwing(42), DUCTILE_ERR_OTHER, "an exception of the program's own, of an unknown type"},
    };
    for (const auto& row : table) {
        EXPECT_EQ(guarded(row.call), row.code) << row.says;
        EXPECT_STREQ(ductile_error(), row.says);
    }
}

TEST(CCall, SuccessForgetsWhatWentWrongBefore) {
    guarded(throwing(InputError("wrong")));
    guarded([] {});
    EXPECT_STREQ(ductile_error(), "");
}

TEST(CCall, DirectAnswersKeepTheError) {
    guarded(throwing(InputError("wrong")));
    EXPECT_EQ(answer_or(-1, [] { return 3; }), 3);
    EXPECT_EQ(answer_or(-1, []() -> int { throw InputError("other"); }), -1);
    EXPECT_STREQ(ductile_error(), "wrong");
}

TEST(CCall, MissingPointersAreNamed) {
    EXPECT_EQ(guarded([] { given(static_cast<int*>(nullptr), "the handle"); }), DUCTILE_ERR_USAGE);
    EXPECT_STREQ(ductile_error(), "a function of Ductile was given NULL for the handle");
}

TEST(CCall, CodesHaveMeanings) {
    EXPECT_STREQ(ductile_code_meaning(DUCTILE_ERR_MEMORY), "there is not enough memory");
    EXPECT_STREQ(ductile_code_meaning(99), "not a code of Ductile");
}

}  // namespace
}  // namespace ductile::c::c_call_test
