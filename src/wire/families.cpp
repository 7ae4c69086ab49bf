// All families of messages. Code that reads or writes a family only needs its header.
#include "wire/agent_messages.hpp"
#include "wire/fields.hpp"
#include "wire/local_messages.hpp"
#include "wire/request_messages.hpp"

namespace ductile::wire {

template <class... Types>
Message encode(const std::variant<Types...>& message) {
    return Message(encode_json(message));
}

template <class Family>
Family decode(const Message& message) {
    return decode_json<Family>(message.content());
}

#define DUCTILE_FAMILY(Family)              \
    template Message encode(const Family&); \
    template Family decode<Family>(const Message&)

DUCTILE_FAMILY(ToAgent);
DUCTILE_FAMILY(FromAgent);
DUCTILE_FAMILY(ToStream);
DUCTILE_FAMILY(FromStream);
DUCTILE_FAMILY(ToRank);
DUCTILE_FAMILY(FromRank);
DUCTILE_FAMILY(FromLocal);
DUCTILE_FAMILY(FromShim);
DUCTILE_FAMILY(ToShim);
DUCTILE_FAMILY(ToRemoteLaunch);
DUCTILE_FAMILY(Request);
DUCTILE_FAMILY(Answer);

#undef DUCTILE_FAMILY

}  // namespace ductile::wire
