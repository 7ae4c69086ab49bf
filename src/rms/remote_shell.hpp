// Makes the argument vector of a remote shell from a template. Pure.
#pragma once

#include <string>
#include <vector>

namespace ductile::rms {

/// `text` as one word of a POSIX shell: it's -> 'it'\''s'.
std::string shell_quoted(const std::string& text);

/// Fills a template. {host} anywhere in an item stands for the host. An item {argv} stands for all
/// of `argv`. An item {command} stands for `argv` as one shell-quoted string.
///   fill({"ssh", "{host}", "{command}"}, "h1", {"/bin/x", "a b"}) = {"ssh", "h1", "/bin/x 'a b'"}
///   fill({"exec", "{host}", "--", "{argv}"}, "h1", {"/bin/x", "a b"}) = {"exec", "h1", "--",
///   "/bin/x", "a b"}
std::vector<std::string> fill_remote_shell(const std::vector<std::string>& remote_shell,
                                           const std::string& host,
                                           const std::vector<std::string>& argv);

/// Throws InputError when the template lacks {host}, or has neither {argv} nor {command} as an item
/// of its own.
void check_remote_shell(const std::vector<std::string>& remote_shell);

}  // namespace ductile::rms
