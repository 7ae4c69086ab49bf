// The argument vector of any remote shell, from a template. Pure.
#pragma once

#include <string>
#include <vector>

namespace ductile::rms {

/// `text` as one word of a POSIX shell: it's -> 'it'\''s'.
std::string shell_quoted(const std::string& text);

/// Fills a template: {host} anywhere in an item stands for the host, an item {argv} for all of
/// `argv`, an item {command} for `argv` as one shell-quoted string.
///   fill({"ssh", "{host}", "{command}"}, "h1", {"/bin/x", "a b"}) = {"ssh", "h1", "/bin/x 'a b'"}
///   fill({"exec", "{host}", "--", "{argv}"}, "h1", {"/bin/x", "a b"}) = {"exec", "h1", "--",
///   "/bin/x", "a b"}
std::vector<std::string> fill_remote_shell(const std::vector<std::string>& remote_shell,
                                           const std::string& host,
                                           const std::vector<std::string>& argv);

/// Throws InputError when the template lacks {host}, or both {argv} and {command}.
void check_remote_shell(const std::vector<std::string>& remote_shell);

}  // namespace ductile::rms
