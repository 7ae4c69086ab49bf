#include "pmi/port.hpp"

#include <gtest/gtest.h>

namespace ductile::pmi::port_test {
namespace {

TEST(Port, TheFirstLineOfAProgram) {
    EXPECT_EQ(id_in("cmd=initack pmiid=7"), 7);
    EXPECT_EQ(id_in("cmd=initack pmiid=2147483647 "), 2147483647);
    for (const auto* line :
         {"", "cmd=init", "cmd=initack", "cmd=initack pmiid=", "cmd=initack pmiid=7x",
          "cmd=initack pmiid= 7", "cmd=initack pmiid=2147483648", " cmd=initack pmiid=7"})
        EXPECT_EQ(id_in(line), std::nullopt) << line;
}

TEST(Port, ItsAnswer) {
    EXPECT_EQ(greeting(4, 3), "cmd=initack rc=0\ncmd=set size=4\ncmd=set rank=3\ncmd=set debug=0");
}

}  // namespace
}  // namespace ductile::pmi::port_test
