// Tags of messages over an open bridge, and of messages to parked ranks.
#pragma once

namespace ductile::engine {

/// Sent by the newcomers' leader: we are ready to join.
inline constexpr int entering_tag = 0x0d1f;
/// Sent by the program's leader immediately before the join: are you there? The newcomers' leader
/// answers: yes, and my next call is the join.
inline constexpr int there_tag = 0x0d21;
/// Sent by the program's leader: the resize is committed.
inline constexpr int commit_tag = 0x0d20;
/// Sent by the job's rank 0 to a parked rank: whether it comes back, and which others do.
inline constexpr int verdict_tag = 0x0d22;

}  // namespace ductile::engine
