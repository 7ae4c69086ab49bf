#include "report/page.hpp"

#include <gtest/gtest.h>

#include "records.hpp"

namespace ductile::report::page_test {
namespace {

TEST(Page, HoldsTheChartsAndTheLibrary) {
    const auto page = render_page(read_text(short_job), {}, "the_library()");
    for (const char* part : {"<script>the_library()</script>", "id=\"ranks\"", "id=\"phases\"",
                             "same result", "equal &lt;bytes&gt;", "2 → 4 ranks", "750.0 ms"})
        EXPECT_NE(page.find(part), std::string::npos) << part;
    EXPECT_EQ(page.find("[[job]]"), std::string::npos);
    EXPECT_EQ(page.find("id=\"field\""), std::string::npos) << "there is no field";
}

TEST(Page, ShowsEachFieldUnderItsOwnName) {
    FieldPicture one{FieldKind::advected, 1, 2, 16, 1, 2, {0, 1}};
    FieldPicture other = one;
    other.step = 32;
    const auto page = render_page(read_text(short_job), {one, other}, "");
    for (const char* part : {"The advected field", "after 16 steps", "id=\"field\"",
                             "\"field\":", "after 32 steps", "id=\"field1\"", "\"field1\":"})
        EXPECT_NE(page.find(part), std::string::npos) << part;
}

TEST(Page, AsksNothingOfTheNetwork) {
    const auto page = render_page(read_text(short_job), {}, "");
    for (const char* part : {"src=", "href=", "url(", "http:", "https:"})
        EXPECT_EQ(page.find(part), std::string::npos) << part;
}

TEST(Page, TextOfTheJobCannotBecomeMarkup) {
    auto timeline = read_text(short_job);
    timeline.program = {"<img src=x>[[job]]"};
    timeline.job = "</script><script>alert(1)";
    timeline.resizes[0].hosts_after[1] = "</script>";
    const auto page = render_page(timeline, {}, "");
    EXPECT_EQ(page.find("<img"), std::string::npos);
    EXPECT_EQ(page.find("alert(1)</title>") == std::string::npos, false);
    EXPECT_EQ(page.find("</script><script>alert"), std::string::npos);
    EXPECT_NE(page.find("[[job]]"), std::string::npos)
        << "what is filled in is not filled in again";
}

}  // namespace
}  // namespace ductile::report::page_test
