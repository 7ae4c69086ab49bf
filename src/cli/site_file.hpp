// The file of a site: where its ductiled is, for jobs, and what it decides, for ductiled itself
// (docs/site.md).
#pragma once

#include <string>
#include <string_view>

#include "site/site_call.hpp"
#include "site/site_server.hpp"

namespace ductile::cli {

inline constexpr const char* standard_site_file = "/etc/ductile/site.toml";

struct SiteFile {
    site::SiteAddress address;    ///< for jobs
    site::SiteSettings settings;  ///< for ductiled
};
/// `file`: its name, for messages. Throws InputError with file and line if the text is not TOML, or
/// if a key is missing, not known, or has a wrong value; also if this machine knows no such user.
SiteFile parse_site_file(std::string_view text, const std::string& file);
/// Throws InputError, also if the file cannot be read.
SiteFile read_site_file(const std::string& path);

}  // namespace ductile::cli
