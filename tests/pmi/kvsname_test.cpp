#include "pmi/kvsname.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace ductile::pmi::kvsname_test {
namespace {

TEST(KvsName, IsAllBits) {
    EXPECT_EQ(KvsName(RandomBits{0x1f, 2}).text(), "ductile_000000000000001f0000000000000002");
}

TEST(KvsName, OthersAreChecked) {
    const struct {
        std::string text;
        bool good;
    } table[] = {
        {"kvs_12_0", true},
        {"a", true},
        {std::string(127, 'x'), true},
        {std::string(128, 'x'), false},
        {"", false},
        {"singinit", false},
        {"singinit_kvs_0", false},
        {"a singinit", false},
        {"a=b", false},
        {"a\n", false},
    };
    for (const auto& row : table)
        EXPECT_EQ(KvsName::from_text(row.text).has_value(), row.good) << row.text;
}

RC_GTEST_PROP(KvsName, DiffersWithTheBitsAndKeepsTheRules,
              (std::uint64_t a, std::uint64_t b, std::uint64_t c)) {
    const KvsName name(RandomBits{a, b});
    RC_ASSERT(KvsName::from_text(name.text()) == name);
    RC_ASSERT((KvsName(RandomBits{a, c}) == name) == (b == c));
}

}  // namespace
}  // namespace ductile::pmi::kvsname_test
