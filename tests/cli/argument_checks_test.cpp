// The messages about arguments that cannot be used.
#include "cli/argument_checks.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace ductile::cli::argument_checks_test {
namespace {

struct Command {
    CLI::App app;
    std::string start;
    double seconds = 0;
    int number = 0;
    Command() {
        app.add_option("--start", start)->check(one_of({"launch", "single"}));
        app.add_option("--within", seconds)->check(number_from(0.001, 1e9));
        app.add_option("--await", number)->check(number_from(1, std::numeric_limits<int>::max()));
    }
    /// The message; empty if the value is accepted.
    std::string refusal(const std::string& option, const std::string& value) {
        try {
            app.parse(std::vector<std::string>{value, option});
            return {};
        } catch (const CLI::ParseError& error) {
            return refusal_text(error);
        }
    }
};

TEST(RefusalText, SaysWhereToLookForWhatIsNotKnown) {
    EXPECT_EQ(Command().refusal("--nosuch", "1"),
              "ductile: The following arguments were not expected: 1 --nosuch (see --help)\n");
}

TEST(ArgumentChecks, say_what_was_given_for_which_option_and_what_is_allowed) {
    Command command;
    EXPECT_EQ(command.refusal("--start", "single"), "");
    EXPECT_EQ(command.start, "single");
    EXPECT_EQ(command.refusal("--start", "x"),
              "ductile: --start is 'x', not one of: launch, single\n");
    EXPECT_EQ(command.refusal("--within", "2.5"), "");
    for (const auto* bad : {"-4", "0", "nan", "1e10", "soon"})
        EXPECT_EQ(
            command.refusal("--within", bad),
            fmt::format("ductile: --within is '{}', not a number from 0.001 to 1000000000\n", bad));
    EXPECT_EQ(command.refusal("--await", "7"), "");
    for (const auto* bad : {"0", "x", "1.5", "3000000000"})
        EXPECT_EQ(command.refusal("--await", bad),
                  fmt::format("ductile: --await is '{}', not a whole number from 1 to 2147483647\n",
                              bad));
}

TEST(ArgumentChecks, leave_other_refusals_as_they_are) {
    Command command;
    EXPECT_EQ(command.refusal("--none", "x").rfind("ductile: The following argument", 0), 0U);
}

}  // namespace
}  // namespace ductile::cli::argument_checks_test
