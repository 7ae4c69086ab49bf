#include <nlohmann/json.hpp>

#include "report/html.hpp"

#include <gtest/gtest.h>

namespace ductile::report::html_test {
namespace {

TEST(Html, EscapesText) {
    EXPECT_EQ(escape_html("a<b>&\"'"), "a&lt;b&gt;&amp;&quot;&#39;");
}

TEST(Html, FillsInNamesOnce) {
    EXPECT_EQ(fill_in("[[a]] and [[b]]", {{"a", "[[b]]"}, {"b", "2"}}), "[[b]] and 2");
    EXPECT_EQ(fill_in("x[[", {}), "x[[");
}

TEST(Html, APageHasTitleBodyChartsAndLibrary) {
    const auto page =
        html_page("<T>", "<p>body</p>", {{"one", {{"data", "</script>"}}}}, "library()");
    for (const char* part : {"<title>&lt;T&gt;</title>", "<p>body</p>", "\\u003c/script>",
                             "<script>library()</script>"})
        EXPECT_NE(page.find(part), std::string::npos) << part;
}

}  // namespace
}  // namespace ductile::report::html_test
