#include "cli/settings.hpp"

#include <gtest/gtest.h>

#include "ductile/error.hpp"

namespace ductile::cli::settings_test {
namespace {

using core::SizeRange;

constexpr int most = 64;

Settings given(const std::string& text) {
    return {{{"ranks", text}}, ""};
}

TEST(Settings, SizesAreOneOrARange) {
    EXPECT_EQ(given("8").sizes("ranks", {}, most), SizeRange::exactly(8));
    EXPECT_EQ(given("2:8").sizes("ranks", {}, most), (SizeRange{2, 8}));
    EXPECT_EQ(Settings({}, "").sizes("ranks", {2, 3}, most), (SizeRange{2, 3}));
}

TEST(Settings, AShareIsAboveZeroAndUpToOne) {
    const auto share = [](const std::string& text) {
        return Settings({{"efficiency", text}}, "").share("efficiency", 0.8);
    };
    EXPECT_EQ(Settings({}, "").share("efficiency", 0.8), 0.8);
    EXPECT_EQ(share("0.25"), 0.25);
    EXPECT_EQ(share("1"), 1);
    for (const char* wrong : {"0", "-0.1", "1.01", "nan", "half", "0.5x"})
        EXPECT_THROW(static_cast<void>(share(wrong)), InputError) << wrong;
}

TEST(Settings, SizesAreShownAsTheyAreWritten) {
    auto one = given("8"), range = given("2:8");
    static_cast<void>(one.sizes("ranks", {}, most));
    static_cast<void>(range.sizes("ranks", {}, most));
    EXPECT_EQ(one.asked().at("ranks").value, broker::OptionValue{8});
    EXPECT_EQ(range.asked().at("ranks").value, broker::OptionValue{"2:8"});
    EXPECT_EQ(range.asked().at("ranks").origin, broker::Origin::command_line);
}

TEST(Settings, SizesOutliveTheirBroker) {
    for (const std::string text : {"8", "2:8"}) {
        auto settings = given(text);
        const auto sizes = settings.sizes("ranks", {}, most);
        EXPECT_EQ(Settings(settings.asked()).sizes("ranks", {}, most), sizes) << text;
    }
}

TEST(Settings, AFileMayWriteANumberInAnyFormOfToml) {
    for (const auto* two : {"2", "+2", "0x2", "0b10", "2.0", "2e0", "\"2\"", "'2'"})
        EXPECT_EQ(parse_options(std::string("ranks = ") + two, "f").at("ranks").text, "2") << two;
    EXPECT_EQ(parse_options("vote_within = 2.5", "f").at("vote-within").text, "2.5");
    EXPECT_EQ(parse_options("vote_within = 1e-7", "f").at("vote-within").text, "1e-07");
}

TEST(Settings, ATableIsNamedWithItsLine) {
    for (const auto* text : {"ranks = 2\n[run]\nmin = 1\n", "\n  [[run]]"}) try {
            static_cast<void>(parse_options(text, "f"));
            ADD_FAILURE() << text;
        } catch (const InputError& error) {
            EXPECT_STREQ(error.what(), "f:2: a table; write the options without one: name = value");
        }
}

TEST(Settings, ABadSizeIsNamedByItsPlace) {
    try {
        static_cast<void>(given("2:65").sizes("ranks", {}, most));
        ADD_FAILURE();
    } catch (const InputError& error) {
        EXPECT_EQ(std::string(error.what()).rfind("--ranks is '2:65'", 0), 0u) << error.what();
    }
}

}  // namespace
}  // namespace ductile::cli::settings_test
