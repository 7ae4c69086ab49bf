#include "wire/proxy_name.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "ductile/error.hpp"

namespace ductile::wire::proxy_name_test {
namespace {

TEST(ProxyName, is_an_address_that_nobody_has) {
    EXPECT_EQ(proxy_name({core::GroupId{1}, 2}), "240.0.16.2");
    EXPECT_EQ(proxy_name({core::GroupId{0}, 0}), "240.0.0.0");
    EXPECT_EQ(proxy_name({core::GroupId{65535}, 4095}), "255.255.255.255");
}

TEST(ProxyName, of_another_host_is_none) {
    for (const char* name : {"", "host1", "240.0.16", "240.0.16.2 ", "239.255.255.255", "10.0.0.1",
                             "127.0.0.1", "f000::1"})
        EXPECT_FALSE(proxy_part(name)) << name;
}

TEST(ProxyName, refuses_what_it_cannot_say) {
    EXPECT_THROW(proxy_name({core::GroupId{65536}, 0}), UsageError);
    EXPECT_THROW(proxy_name({core::GroupId{-1}, 0}), UsageError);
    EXPECT_THROW(proxy_name({core::GroupId{0}, 4096}), UsageError);
}

RC_GTEST_PROP(ProxyName, comes_back_as_it_was, ()) {
    const ProxyPart part{core::GroupId{*rc::gen::inRange(0, named_groups)},
                         *rc::gen::inRange(0, named_parts)};
    RC_ASSERT(proxy_part(proxy_name(part)) == part);
    RC_ASSERT(proxy_part(proxy_word(part)) == part);
}

}  // namespace
}  // namespace ductile::wire::proxy_name_test
