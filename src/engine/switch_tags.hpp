// Tags of messages over the leaders' bridge once it stands.
#pragma once

namespace ductile::engine {

inline constexpr int commit_tag = 0x0d20;

}  // namespace ductile::engine
