#include "job/check_options.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "ductile/error.hpp"

namespace ductile::check_options_test {
namespace {

Options limits(int min, int max, int preferred, int multiple) {
    Options options;
    options.min = min, options.max = max, options.preferred = preferred,
    options.multiple = multiple;
    return options;
}

template <class Check>
std::string refusal(Check check) {
    try {
        check();
    } catch (const InputError& error) {
        return error.what();
    }
    return "";
}

TEST(CheckOptions, what_contradicts_itself_is_refused) {
    const struct {
        Options options;
        const char* why;
    } rows[] = {{limits(0, 0, 0, 0), ""},
                {limits(2, 8, 4, 2), ""},
                {limits(4, 0, 4, 0), ""},
                {limits(-1, 0, 0, 0), "min is -1; it must be 0 or more"},
                {limits(0, -2, 0, 0), "max is -2; it must be 0 or more"},
                {limits(0, 0, -3, 0), "preferred is -3; it must be 0 or more"},
                {limits(0, 0, 0, -4), "multiple is -4; it must be 0 or more"},
                {limits(5, 4, 0, 0), "min 5 is above max 4"},
                {limits(2, 4, 5, 0), "preferred 5 is outside min and max"},
                {limits(2, 0, 1, 0), "preferred 1 is outside min and max"}};
    for (const auto& row : rows) {
        const auto why = refusal([&] { check_options(row.options); });
        EXPECT_EQ(why, *row.why == 0 ? "" : std::string("ductile::Options refused: ") + row.why);
    }
}

TEST(CheckOptions, a_negative_inhibitor_is_refused_by_its_name) {
    Options by_points, by_time;
    by_points.inhibitor_points = -1;
    by_time.inhibitor = std::chrono::milliseconds(-5);
    EXPECT_EQ(refusal([&] { check_options(by_points); }),
              "ductile::Options refused: inhibitor_points is -1; it must be 0 or more");
    EXPECT_EQ(refusal([&] { check_options(by_time); }),
              "ductile::Options refused: inhibitor (in milliseconds) is -5; it must be 0 or more");
}

TEST(CheckOptions, a_job_starts_on_a_number_of_ranks_that_they_allow) {
    const struct {
        Options options;
        int ranks;
        const char* why;
    } rows[] = {{limits(0, 0, 0, 0), 7, ""},
                {limits(2, 8, 0, 2), 8, ""},
                {limits(2, 8, 0, 2), 2, ""},
                {limits(3, 0, 0, 0), 2, "at least 3 ranks"},
                {limits(0, 1, 0, 0), 2, "at most 1 rank"},
                {limits(0, 8, 0, 3), 8, "multiples of 3 ranks"}};
    for (const auto& row : rows) {
        const auto why = refusal([&] { check_size(row.options, row.ranks); });
        if (*row.why == 0) {
            EXPECT_EQ(why, "");
        } else {
            EXPECT_EQ(why.find(std::string("the program runs on ") + row.why), 0u) << why;
        }
    }
}

TEST(CheckOptions, memory_lacks_a_function) {
    const auto allocate = [](std::size_t) { return nullptr; };
    const auto free = [](void*, std::size_t) {};
    const auto copy = [](void*, const void*, std::size_t) {};
    const auto check = [](const ArrayMemory& memory) {
        Schema schema;
        schema.keep_in("u", memory);
        return refusal([&] { check_memory(schema); });
    };
    EXPECT_EQ(check({allocate, free}), "");
    EXPECT_EQ(check({allocate, free, copy, copy}), "");
    EXPECT_NE(check({allocate, nullptr}).find("'u'"), std::string::npos);
    EXPECT_NE(check({nullptr, free}).find("`allocate`"), std::string::npos);
    EXPECT_NE(check({allocate, free, copy}).find("both or neither"), std::string::npos);
    EXPECT_NE(check({allocate, free, nullptr, copy}).find("both or neither"), std::string::npos);
    EXPECT_EQ(check({allocate, free, copy, copy, Device::cuda}), "");
    EXPECT_NE(check({allocate, free, {}, {}, Device::cuda}).find("on a device"), std::string::npos);
}

}  // namespace
}  // namespace ductile::check_options_test
