#include "plan/port_table.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "ductile/error.hpp"

namespace ductile::plan::port_table_test {
namespace {

TEST(PortTable, IsReadAsItIsWritten) {
    PortTable table;
    table.add(0, 0, "tag#0$host with a blank$");
    table.add(0, 1, "tag#1$");
    table.add(12, 0, "");
    EXPECT_EQ(table.to_text(), "0 0 tag#0$host with a blank$\n0 1 tag#1$\n12 0 \n");
    EXPECT_EQ(PortTable::of_text(table.to_text()), table);
    EXPECT_EQ(table.port(0, 1), "tag#1$");
    EXPECT_THROW((void)table.port(1, 0), SystemError);
}

TEST(PortTable, OfSeveralGroupsIsThatOfAll) {
    PortTable one, other;
    one.add(0, 0, "a");
    other.add(1, 0, "b");
    one.add(other);
    EXPECT_EQ(one.to_text(), "0 0 a\n1 0 b\n");
    EXPECT_EQ(one.size(), 2u);
}

TEST(PortTable, OtherTextIsRefused) {
    for (const auto* text : {"0 0 a", "x 0 a\n", "0 0\n", "0 -1 a\n", "\n", "99999999999 0 a\n"})
        EXPECT_THROW(PortTable::of_text(text), InputError) << text;
}

RC_GTEST_PROP(PortTable, GoesThroughText,
              (const std::map<std::pair<int, int>, std::string>& ports)) {
    PortTable table;
    for (const auto& [at, port] : ports)
        if (at.first >= 0 && at.second >= 0 && port.find('\n') == port.npos)
            table.add(at.first, at.second, port);
    RC_ASSERT(PortTable::of_text(table.to_text()) == table);
}

}  // namespace
}  // namespace ductile::plan::port_table_test
