// Tags of messages over the leaders' bridge once it stands, and to parked ranks.
#pragma once

namespace ductile::engine {

/// The newcomers' leader: we are ready to join.
inline constexpr int entering_tag = 0x0d1f;
/// The program's leader, when it has been voted to join: are you there? The newcomers' leader: yes,
/// and my next call is the join.
inline constexpr int there_tag = 0x0d21;
/// The program's leader: the resize is committed.
inline constexpr int commit_tag = 0x0d20;
/// The job's rank 0 to a parked rank: whether it comes back, and who else does.
inline constexpr int verdict_tag = 0x0d22;

}  // namespace ductile::engine
