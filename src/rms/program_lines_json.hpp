// The lines between a job and the program that provides its hosts (docs/resource-managers.md).
// Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "rms/host_request.hpp"

namespace ductile::rms {

inline constexpr int program_protocol_version = 1;
/// The longest line, without its newline.
inline constexpr std::size_t max_program_line = std::size_t{64} * 1024;

/// One line, or more lines if `held` is long.
std::vector<std::string> hello_lines(const std::string& job, const std::vector<core::Host>& held);
std::string request_line(RequestId id, const HostRequest& request);
std::string cancel_line(RequestId id);
std::string release_line(const std::string& host);

/// Parses a line of the program. Throws InputError that names the field.
HostAnswer parse_answer(std::string_view line);

}  // namespace ductile::rms
