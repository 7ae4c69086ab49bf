// The lines between a job and the program that gets it hosts (docs/resource-managers.md). Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "rms/host_request.hpp"

namespace ductile::rms {

inline constexpr int program_protocol_version = 1;
/// Without the newline.
inline constexpr std::size_t max_program_line = std::size_t{64} * 1024;

/// As many lines as it takes for all of `held`.
std::vector<std::string> hello_lines(const std::string& job, const std::vector<core::Host>& held);
std::string request_line(RequestId id, const HostRequest& request);
std::string cancel_line(RequestId id);
std::string release_line(const std::string& host);

/// What the program says in a line. Throws InputError that names the field.
HostAnswer parse_answer(std::string_view line);

}  // namespace ductile::rms
