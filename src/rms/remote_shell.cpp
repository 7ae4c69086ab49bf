#include "rms/remote_shell.hpp"

#include <algorithm>

#include "ductile/error.hpp"

namespace ductile::rms {

namespace {

std::string replaced(std::string text, const std::string& word, const std::string& by) {
    for (auto at = text.find(word); at != std::string::npos; at = text.find(word, at + by.size()))
        text.replace(at, word.size(), by);
    return text;
}

}  // namespace

std::string shell_quoted(const std::string& text) {
    const auto plain = [](unsigned char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               std::string_view("/._-+=:,@%").find(static_cast<char>(c)) != std::string_view::npos;
    };
    if (!text.empty() && std::ranges::all_of(text, plain)) return text;
    return "'" + replaced(text, "'", "'\\''") + "'";
}

std::vector<std::string> fill_remote_shell(const std::vector<std::string>& remote_shell,
                                           const std::string& host,
                                           const std::vector<std::string>& argv) {
    std::string command;
    for (const auto& argument : argv)
        command += (command.empty() ? "" : " ") + shell_quoted(argument);
    std::vector<std::string> result;
    for (const auto& item : remote_shell) {
        if (item == "{argv}")
            result.insert(result.end(), argv.begin(), argv.end());
        else if (item == "{command}")
            result.push_back(command);
        else
            result.push_back(replaced(item, "{host}", host));
    }
    return result;
}

void check_remote_shell(const std::vector<std::string>& remote_shell) {
    const auto has = [&remote_shell](const std::string& word) {
        return std::ranges::find(remote_shell, word) != remote_shell.end();
    };
    const bool host = std::ranges::any_of(remote_shell, [](const std::string& item) {
        return item.find("{host}") != std::string::npos;
    });
    if (!host || (!has("{argv}") && !has("{command}")))
        throw InputError(
            "remote shell refused: it needs {host}, and an argument {argv} or {command}; "
            "for example: ssh -o BatchMode=yes {host} {command}");
}

}  // namespace ductile::rms
