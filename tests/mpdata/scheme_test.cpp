#include "mpdata/scheme.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace mpdata::scheme_test {
namespace {

TEST(Scheme, HaloWidths) {
    const struct {
        Scheme scheme;
        std::int64_t halo;
    } table[] = {{{1, false, false}, 1}, {{2, false, false}, 2}, {{2, true, false}, 3},
                 {{1, true, false}, 1},  {{3, false, false}, 3}, {{3, true, false}, 5}};
    for (const auto& row : table) {
        EXPECT_EQ(halo_width(row.scheme), row.halo)
            << row.scheme.passes << row.scheme.non_oscillatory;
        EXPECT_EQ(extent_after(row.scheme, row.scheme.passes), 0);
    }
}

TEST(Scheme, RefusesWhatContradictsItself) {
    EXPECT_NO_THROW(check({1, true, true}));
    EXPECT_NO_THROW(check({8, true, false}));
    for (const Scheme scheme :
         {Scheme{0, false, false}, Scheme{9, false, false}, Scheme{3, false, true}})
        EXPECT_THROW(check(scheme), std::invalid_argument) << scheme.passes;
}

}  // namespace
}  // namespace mpdata::scheme_test
