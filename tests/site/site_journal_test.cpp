#include "site/site_journal.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "ductile/error.hpp"

namespace ductile::site::site_journal_test {
namespace {

using Change = rms::NiceChange;
constexpr policy::WaitingJobId seven{7}, eight{8};

class SiteJournalTest : public ::testing::Test {
  protected:
    void SetUp() override {
        std::string name = ::testing::TempDir() + "journal-XXXXXX";
        ASSERT_NE(::mkdtemp(name.data()), nullptr);
        folder_ = name;
    }
    void TearDown() override { std::filesystem::remove_all(folder_); }
    [[nodiscard]] std::string text() const {
        std::stringstream text;
        text << std::ifstream(folder_ + "/raised.jsonl").rdbuf();
        return text.str();
    }
    void add(const std::string& text) const {
        std::ofstream(folder_ + "/raised.jsonl", std::ios::app) << text;
    }

    std::string folder_;
};

TEST_F(SiteJournalTest, RemembersWhatWasNotPutBack) {
    {
        SiteJournal journal(folder_);
        EXPECT_TRUE(journal.raised_before().empty());
        journal.write(seven, Change{0, -1200});
        journal.write(eight, Change{5, -900});
        journal.write(seven, std::nullopt);
    }
    EXPECT_EQ(SiteJournal(folder_).raised_before(), (SiteJournal::Raised{{eight, {5, -900}}}));
    EXPECT_EQ(text(), "{\"before\":5,\"job\":8,\"nice\":-900,\"type\":\"raised\"}\n");
}

// After each byte that it writes it may be killed.
TEST_F(SiteJournalTest, ALineThatWasCutOffIsLeftOut) {
    const std::string whole = "{\"before\":5,\"job\":8,\"nice\":-900,\"type\":\"raised\"}\n";
    for (std::size_t size = 0; size <= whole.size(); ++size) {
        std::ofstream(folder_ + "/raised.jsonl") << whole.substr(0, size);
        EXPECT_EQ(SiteJournal(folder_).raised_before().size(), size == whole.size() ? 1U : 0U);
    }
}

TEST_F(SiteJournalTest, ABadLineIsNamed) {
    add("{\"type\":\"back\",\"job\":7}\n{\"type\":\"back\",\"job\":0}\n");
    try {
        const SiteJournal journal(folder_);
        FAIL();
    } catch (const InputError& error) {
        EXPECT_EQ(std::string(error.what()),
                  folder_ +
                      "/raised.jsonl:2: message refused: back.job is 0, outside "
                      "1..4294967295");
    }
    EXPECT_NE(text(), "");  // nothing is lost
}

TEST_F(SiteJournalTest, OneAtATime) {
    const SiteJournal journal(folder_);
    EXPECT_THROW(SiteJournal{folder_}, SystemError);
    EXPECT_THROW(SiteJournal{folder_ + "/none"}, SystemError);
}

}  // namespace
}  // namespace ductile::site::site_journal_test
