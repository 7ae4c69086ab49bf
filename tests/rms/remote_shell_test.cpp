#include "rms/remote_shell.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <memory>

#include "ductile/error.hpp"

namespace ductile::rms::remote_shell_test {
namespace {

using Words = std::vector<std::string>;

struct Case {
    Words shell, argv, filled;
};

TEST(RemoteShell, TemplatesAreFilled) {
    const Case cases[] = {
        {{"ssh", "-o", "BatchMode=yes", "{host}", "{command}"},
         {"/opt/ductile", "agent"},
         {"ssh", "-o", "BatchMode=yes", "h1", "/opt/ductile agent"}},
        {{"ductile", "cluster", "exec", "{host}", "--", "{argv}"},
         {"/opt/a b", "agent"},
         {"ductile", "cluster", "exec", "h1", "--", "/opt/a b", "agent"}},
        {{"sh", "root@{host}:22", "{command}"},
         {"a b", "it's"},
         {"sh", "root@h1:22", "'a b' 'it'\\''s'"}},
        {{"{argv}", "{host}", "x{argv}"}, {"a"}, {"a", "h1", "x{argv}"}},
        {{"s", "{host}{host}", "{command}"}, {""}, {"s", "h1h1", "''"}},
    };
    for (const auto& one : cases)
        EXPECT_EQ(fill_remote_shell(one.shell, "h1", one.argv), one.filled);
}

TEST(RemoteShell, QuotedWordsComeOutOfAShellAsTheyWere) {
    for (const std::string& word :
         {std::string("plain"), std::string(""), std::string("a b"), std::string("it's"),
          std::string("$HOME `x` \"y\" \\ *"), std::string("-n"), std::string("semi;colon&"),
          std::string("new\nline"), std::string("~"), std::string("#x")}) {
        const auto command = "printf %s " + shell_quoted(word);
        const std::unique_ptr<FILE, int (*)(FILE*)> pipe(::popen(command.c_str(), "r"), ::pclose);
        ASSERT_TRUE(pipe);
        std::array<char, 256> buffer{};
        const auto n = std::fread(buffer.data(), 1, buffer.size(), pipe.get());
        EXPECT_EQ(std::string(buffer.data(), n), word);
    }
}

TEST(RemoteShell, TemplateThatCannotWorkIsRefused) {
    EXPECT_NO_THROW(check_remote_shell({"ssh", "{host}", "{command}"}));
    EXPECT_NO_THROW(check_remote_shell({"x", "a{host}", "{argv}"}));
    EXPECT_THROW(check_remote_shell({}), InputError);
    EXPECT_THROW(check_remote_shell({"ssh", "{command}"}), InputError);
    EXPECT_THROW(check_remote_shell({"ssh", "{host}"}), InputError);
    EXPECT_THROW(check_remote_shell({"ssh", "{host}", "sh -c {command}"}), InputError);
}

}  // namespace
}  // namespace ductile::rms::remote_shell_test
