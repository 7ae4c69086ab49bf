#include "cli/site_file.hpp"

#include <gtest/gtest.h>

#include "ductile/error.hpp"

namespace ductile::cli::site_file_test {
namespace {

std::string refusal(const std::string& text) {
    try {
        static_cast<void>(parse_site_file(text, "site.toml"));
    } catch (const InputError& error) {
        return error.what();
    }
    return "";
}

TEST(SiteFile, SaysWhereDuctiledIs) {
    const auto site = parse_site_file("host = \"head\"\nport = 6790\nuser = \"root\"\n", "f");
    EXPECT_EQ(site.address.host, "head");
    EXPECT_EQ(site.address.port, 6790);
    EXPECT_EQ(site.address.user, 0U);
    EXPECT_EQ(site.address.munge_socket, "");
    EXPECT_EQ(site.settings.address, "");
    EXPECT_EQ(site.settings.port, 6790);
    EXPECT_EQ(site.settings.sharing, policy::SharingKind::natural);
    EXPECT_EQ(site.settings.folder, "/var/lib/ductile");
}

TEST(SiteFile, SaysWhatDuctiledDoes) {
    const auto site = parse_site_file(
        "host = \"head\"\nport = 1\nuser = \"4711\"\nmunge_socket = \"/run/m\"\n"
        "listen = \"10.0.0.1\"\npolicy = \"average\"\nstate = \"/s\"\n",
        "f");
    EXPECT_EQ(site.address.user, 4711U);
    EXPECT_EQ(site.address.munge_socket, "/run/m");
    EXPECT_EQ(site.settings.munge_socket, "/run/m");
    EXPECT_EQ(site.settings.address, "10.0.0.1");
    EXPECT_EQ(site.settings.sharing, policy::SharingKind::average);
    EXPECT_EQ(site.settings.folder, "/s");
}

TEST(SiteFile, AMistakeIsNamedWithItsPlace) {
    const std::string good = "host = \"head\"\nport = 1\nuser = \"root\"\n";
    EXPECT_EQ(refusal(good), "");
    EXPECT_EQ(refusal("port = 1\nuser = \"root\"\n"), "site.toml:1: host is missing");
    EXPECT_EQ(refusal("host = \"h\"\nuser = \"root\"\n"), "site.toml:1: port is missing");
    EXPECT_EQ(refusal(good + "color = 3\n"), "site.toml:4: color is not known");
    EXPECT_EQ(refusal(good + "policy = \"preferred\"\n"),
              "site.toml:4: policy is neither 'natural' nor 'average'");
    EXPECT_EQ(refusal("host = \"h\"\nport = 70000\nuser = \"root\"\n"),
              "site.toml:2: port is not from 1 to 65535");
    EXPECT_EQ(refusal(good + "listen = [\"a\"]\n"),
              "site.toml:4: an option is neither a list nor a table");
    EXPECT_EQ(refusal("host = \"h\"\nport = 7\nuser = \"no such user\"\n"),
              "site.toml:3: user is 'no such user', and there is no such user here");
    EXPECT_TRUE(refusal("host = \n").starts_with("site.toml:1: "));
}

}  // namespace
}  // namespace ductile::cli::site_file_test
