// Tags of messages over the leaders' bridge once it stands.
#pragma once

namespace ductile::engine {

/// The newcomers' leader: my next call is the join.
inline constexpr int entering_tag = 0x0d1f;
/// The program's leader: the resize is committed.
inline constexpr int commit_tag = 0x0d20;

}  // namespace ductile::engine
