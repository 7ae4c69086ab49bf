#include "rms/slurm_hostlist.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "ductile/error.hpp"

namespace ductile::rms::slurm_hostlist_test {
namespace {

using Names = std::vector<std::string>;

TEST(SlurmHostlist, IsExpanded) {
    const struct {
        std::string text;
        Names names;
    } table[] = {
        {"node01", {"node01"}},
        {"a,b", {"a", "b"}},
        {"node[01-03,7]", {"node01", "node02", "node03", "node7"}},
        {"node[01-02],login", {"node01", "node02", "login"}},
        {"n[9-11]", {"n9", "n10", "n11"}},
        {"n[099-101]x", {"n099x", "n100x", "n101x"}},
        {"r[1-2]n[3,5]", {"r1n3", "r1n5", "r2n3", "r2n5"}},
        {"n[5-5].site.org", {"n5.site.org"}},
    };
    for (const auto& row : table) EXPECT_EQ(expand_hostlist(row.text), row.names) << row.text;
}

TEST(SlurmHostlist, OthersAreRefused) {
    for (const std::string text :
         {"", ",", "a,", "n[1-2", "n1-2]", "n[1-2]]", "n[[1]]", "n[]", "n[,]", "n[2-1]", "n[a]",
          "n[1--2]", "n[-1]", "n[1-]", "n[1234567890]", "n[0-4096]", "a[1-100]b[1-100]", "(null)",
          "n[1-999999999]"})
        EXPECT_THROW(expand_hostlist(text), InputError) << text;
    EXPECT_THROW(expand_hostlist(std::string(65537, 'a')), InputError);
}

TEST(SlurmHostlist, ANameForAShellIsRefusedAndNamed) {
    for (const std::string text : {"n;reboot", "a,$(reboot)", "`id`", "n 1", "-x", "n|m", "n&",
                                   "n\n1", "n'1", "n[1-2];x", "n>f", "n*"})
        try {
            expand_hostlist(text);
            ADD_FAILURE() << text;
        } catch (const InputError& error) {
            EXPECT_NE(std::string(error.what()).find("is no host name"), std::string::npos) << text;
        }
    try {
        expand_hostlist("good,n;reboot");
    } catch (const InputError& error) {
        EXPECT_STREQ(error.what(),
                     "a list of hosts from Slurm is refused: 'n;reboot' is no host name");
    }
}

TEST(SlurmHostlist, NumbersAreCounted) {
    EXPECT_EQ(count_numbers("0-3"), 4);
    EXPECT_EQ(count_numbers("7"), 1);
    EXPECT_EQ(count_numbers("0-1,4,8-15"), 11);
    for (const std::string text : {"", "-", "a", "3-1", "0-999999999", "0-3 "})
        EXPECT_THROW(count_numbers(text), InputError) << text;
}

/// Any text is a list of host names or is refused.
RC_GTEST_PROP(SlurmHostlist, AnyTextIsTakenOrRefused, ()) {
    const auto letter = rc::gen::elementOf(std::string("ab019[]-,.;$ \n"));
    const auto text = *rc::gen::container<std::string>(letter);
    try {
        for (const auto& name : expand_hostlist(text)) {
            RC_ASSERT(!name.empty());
            RC_ASSERT(name.find_first_of("[],;$ \n") == std::string::npos);
        }
    } catch (const InputError&) {
    }
}

/// A range of numbers, as Slurm writes it, gives all its hosts, with their leading zeros.
RC_GTEST_PROP(SlurmHostlist, ARangeHasEachOfItsHosts, ()) {
    const auto width = *rc::gen::inRange<std::size_t>(1, 6);
    const auto first = *rc::gen::inRange(0, 9999);
    const auto count = *rc::gen::inRange(1, 50);
    const auto written = [width](int number) {
        auto digits = std::to_string(number);
        return std::string(width - std::min(width, digits.size()), '0') + digits;
    };
    Names names;
    for (int number = first; number < first + count; ++number)
        names.push_back("n" + written(number));
    const auto text = "n[" + written(first) + "-" + written(first + count - 1) + "]";
    // A number that needs more digits than the first number is written with all its digits.
    RC_ASSERT(expand_hostlist(text) == names);
}

}  // namespace
}  // namespace ductile::rms::slurm_hostlist_test
