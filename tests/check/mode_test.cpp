#include "check/mode.hpp"

#include <gtest/gtest.h>

#include "ductile/error.hpp"

namespace ductile::check::mode_test {
namespace {

using namespace std::chrono_literals;

TEST(Mode, IsOffUnlessAskedFor) {
    EXPECT_FALSE(read_mode(nullptr, nullptr).on);
    EXPECT_FALSE(read_mode("0", "3").on);
}

TEST(Mode, EndsTheProgramUnlessItOnlyReports) {
    EXPECT_TRUE(read_mode("1", nullptr).on);
    EXPECT_TRUE(read_mode("1", nullptr).ends);
    EXPECT_TRUE(read_mode("report", nullptr).on);
    EXPECT_FALSE(read_mode("report", nullptr).ends);
}

TEST(Mode, WaitsForTenSecondsUnlessToldOtherwise) {
    EXPECT_EQ(read_mode("1", nullptr).patience, 10s);
    EXPECT_EQ(read_mode("1", "2.5").patience, 2500ms);
}

TEST(Mode, NamesTheVariableThatIsWrong) {
    const auto why = [](const char* check, const char* after) -> std::string {
        try {
            read_mode(check, after);
            return "";
        } catch (const InputError& error) {
            return error.what();
        }
    };
    for (const char* check : {"", "yes", "2", "reports"})
        EXPECT_NE(why(check, nullptr).find("DUCTILE_CHECK in"), std::string::npos) << check;
    for (const char* after : {"", "0", "-1", "ten", "10s", "nan", "1e7"})
        EXPECT_NE(why("1", after).find("DUCTILE_CHECK_AFTER"), std::string::npos) << after;
}

}  // namespace
}  // namespace ductile::check::mode_test
