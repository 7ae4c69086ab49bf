#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "ductile/error.hpp"
#include "studies.hpp"
#include "workload/jobs.hpp"
#include "workload/study.hpp"

namespace ductile::workload::study_toml_test {
namespace {

std::string example(const std::string& name) {
    std::ifstream file(std::string(DUCTILE_SOURCE_DIR) + "/examples/workload/" + name);
    std::ostringstream text;
    text << file.rdbuf();
    EXPECT_TRUE(file) << name;
    return text.str();
}

const std::string one_class =
    "[[classes]]\n"
    "name = \"a\"\n"
    "likelihood = 1\n"
    "min_hosts = 2\n"
    "iterations = 9\n"
    "iteration_s = {2 = 1, 3 = 0.5}\n";

// The text, with `line` in place of its line that has the same key. Without such a line, `text`
// with `line` at its end.
std::string with_line(const std::string& line, std::string text = one_class) {
    const auto key = line.substr(0, line.find('=') + 1);
    const auto begin = text.find("\n" + key);
    if (begin == std::string::npos) return text + line + "\n";
    const auto end = text.find('\n', begin + 1);
    return text.replace(begin + 1, end - begin - 1, line);
}

std::string refusal(const std::string& text) {
    try {
        parse_study(text, "s.toml");
    } catch (const InputError& error) {
        return error.what();
    }
    return "";
}

TEST(WorkloadStudyToml, TheExampleIsTheStudyOfThePaper) {
    const auto study = parse_study(example("paper.toml"), "paper.toml");
    const auto expected = paper_study();
    EXPECT_EQ(study.jobs, 30);
    EXPECT_EQ(study.hosts, 31);
    EXPECT_EQ(study.repetitions, 5);
    EXPECT_EQ(study.mean_interarrival_s, 10);
    EXPECT_EQ(study.inhibitor_points, 4);
    ASSERT_EQ(study.classes.size(), expected.classes.size());
    for (std::size_t i = 0; i < expected.classes.size(); ++i) {
        const auto &read = study.classes[i], &wanted = expected.classes[i];
        EXPECT_EQ(read.name, wanted.name);
        EXPECT_EQ(read.likelihood, wanted.likelihood);
        EXPECT_EQ(read.min_hosts, wanted.min_hosts);
        EXPECT_EQ(read.iterations, wanted.iterations);
        EXPECT_EQ(read.iteration_s, wanted.iteration_s);
        EXPECT_EQ(read.data_mib, wanted.data_mib);
        EXPECT_TRUE(read.command.empty());
    }
}

// A large job and two small ones fill the cluster; two large jobs are too many.
TEST(WorkloadStudyToml, TheSmallExampleHasJobsThatWait) {
    const auto study = parse_study(example("small.toml"), "small.toml");
    const auto jobs = make_jobs(study);
    ASSERT_EQ(study.classes.size(), 2U);
    EXPECT_EQ(max_hosts(study, study.classes[0]), 2);
    EXPECT_EQ(max_hosts(study, study.classes[1]), 6);
    EXPECT_EQ(jobs.size(), 6U);
    EXPECT_EQ(std::ranges::count(jobs, ClassIndex(1), &Job::job_class), 3);
    EXPECT_LT(jobs.back().submit_s, 10);
}

TEST(WorkloadStudyToml, KeysThatAreLeftOutHaveTheirStandards) {
    const auto study = parse_study(one_class, "s.toml");
    const Study standard;
    EXPECT_EQ(study.seed, standard.seed);
    EXPECT_EQ(study.jobs, standard.jobs);
    EXPECT_EQ(study.mean_interarrival_s, standard.mean_interarrival_s);
    EXPECT_EQ(study.hosts, standard.hosts);
    EXPECT_EQ(study.repetitions, standard.repetitions);
    EXPECT_EQ(study.time_scale, 1);
    EXPECT_EQ(study.min_efficiency, 1);
    EXPECT_EQ(study.rigid_share, 0);
    EXPECT_EQ(study.inhibitor_points, standard.inhibitor_points);
    EXPECT_FALSE(study.moldable);
    EXPECT_EQ(study.classes.at(0).data_mib, 0);
}

TEST(WorkloadStudyToml, KeysAreRead) {
    const auto study = parse_study(
        "seed = 7\njobs = 8\nmean_interarrival_s = 1.5\nhosts = 9\n"
        "repetitions = 3\ntime_scale = 0.01\nmin_efficiency = 0.7\n"
        "rigid_share = 0.25\npolicy_every_s = 2.5\ninhibitor_points = 0\nmoldable = true\n"
        "site = \"/etc/site.toml\"\n" +
            with_line("command = [\"prog\", \"-n\", \"\"]", with_line("data_mib = 2.5")),
        "s.toml");
    EXPECT_EQ(study.seed, 7U);
    EXPECT_EQ(study.jobs, 8);
    EXPECT_EQ(study.mean_interarrival_s, 1.5);
    EXPECT_EQ(study.hosts, 9);
    EXPECT_EQ(study.repetitions, 3);
    EXPECT_EQ(study.time_scale, 0.01);
    EXPECT_EQ(study.min_efficiency, 0.7);
    EXPECT_EQ(study.rigid_share, 0.25);
    EXPECT_DOUBLE_EQ(study.policy_every_s, 2.5);
    EXPECT_EQ(study.inhibitor_points, 0);
    EXPECT_TRUE(study.moldable);
    EXPECT_EQ(study.site, "/etc/site.toml");
    const auto& read = study.classes.at(0);
    EXPECT_EQ(read.name, "a");
    EXPECT_EQ(read.likelihood, 1);
    EXPECT_EQ(read.min_hosts, 2);
    EXPECT_EQ(read.iterations, 9);
    EXPECT_EQ(read.iteration_s, (IterationTimes{{2, 1}, {3, 0.5}}));
    EXPECT_EQ(read.data_mib, 2.5);
    EXPECT_EQ(read.command, (std::vector<std::string>{"prog", "-n", ""}));
}

TEST(WorkloadStudyToml, ARefusalNamesLineAndKey) {
    const struct {
        std::string text, message;
    } table[] = {
        {"jobs = 0\n" + one_class, "s.toml:1: jobs must be a whole number from 1 to 100000"},
        {"\nhosts = 2.5\n" + one_class, "s.toml:2: hosts must be a whole number from 1 to 100000"},
        {"seed = -1\n" + one_class,
         "s.toml:1: seed must be a whole number from 0 to 9223372036854775807"},
        {"rigid_share = nan\n" + one_class, "s.toml:1: rigid_share must be a number from 0 to 1"},
        {"time_scale = 0\n" + one_class,
         "s.toml:1: time_scale must be a number from 1e-06 to 1000000"},
        {"time_scale = \"1\"\n" + one_class,
         "s.toml:1: time_scale must be a number from 1e-06 to 1000000"},
        {"moldable = 1\n" + one_class, "s.toml:1: moldable must be true or false"},
        {"site = \"s.toml\"\n" + one_class, "s.toml:1: site must be the absolute path of a file"},
        {"job = 3\n" + one_class, "s.toml:1: job is not known"},
        {"jobs = 3\n", "s.toml:1: classes is missing"},
        {"jobs = 3\nclasses = []\n", "s.toml:2: classes must be 1 to 100 tables [[classes]]"},
        {"classes = [1]\n", "s.toml:1: classes must be tables [[classes]]"},
        {"\nclasses = 1\n", "s.toml:2: classes must be 1 to 100 tables [[classes]]"},
        {with_line("color = 1"), "s.toml:7: classes.a.color is not known"},
        {"[[classes]]\nlikelihood = 1\n", "s.toml:1: classes.1.name is missing"},
        {with_line("name = \"a b\""),
         "s.toml:2: classes.1.name must be 1 to 32 letters, digits, '-' and '_'"},
        {with_line("name = \"" + std::string(33, 'x') + "\""),
         "s.toml:2: classes.1.name must be 1 to 32 letters, digits, '-' and '_'"},
        {with_line("likelihood = 1.5"),
         "s.toml:3: classes.a.likelihood must be a number from 0 to 1"},
        {with_line("likelihood = 0.9"),
         "s.toml:1: classes have likelihoods that add up to 0.9, not to 1"},
        {with_line("min_hosts = 32"),
         "s.toml:4: classes.a.min_hosts must be a whole number from 1 to 31"},
        {with_line("min_hosts = 1"), "s.toml:6: classes.a.iteration_s has no time on 1 host"},
        {with_line("iteration_s = {2 = 1, 4 = 1}"),
         "s.toml:6: classes.a.iteration_s has no time on 3 hosts"},
        {with_line("iteration_s = {}"), "s.toml:6: classes.a.iteration_s has no time on 2 hosts"},
        {with_line("iteration_s = [1, 2]"), "s.toml:6: classes.a.iteration_s must be a table"},
        {with_line("iteration_s = {2 = 0}"),
         "s.toml:6: classes.a.iteration_s.2 must be a number from 1e-06 to 1000000"},
        {with_line("iteration_s = {02 = 1}"),
         "s.toml:6: classes.a.iteration_s.02 must be a number of hosts from 1 to 100000"},
        {with_line("iteration_s = {100001 = 1}"),
         "s.toml:6: classes.a.iteration_s.100001 must be a number of hosts from 1 to 100000"},
        {with_line("data_mib = -1"),
         "s.toml:7: classes.a.data_mib must be a number from 0 to 1000000"},
        {with_line("command = \"prog\""),
         "s.toml:7: classes.a.command must be a list of a program and its arguments, 1000 words at "
         "most"},
        {with_line("command = []"),
         "s.toml:7: classes.a.command must be a list of a program and its arguments, 1000 words at "
         "most"},
        {with_line("command = [\"prog\", 1]"),
         "s.toml:7: classes.a.command must be a list of strings"},
        {with_line("command = [\"\"]"), "s.toml:7: classes.a.command names no program"},
        {with_line("likelihood = 0.5") + with_line("likelihood = 0.5"),
         "s.toml:8: classes.a.name is the name of an earlier class"},
    };
    for (const auto& row : table) EXPECT_EQ(refusal(row.text), row.message) << row.text;
}

TEST(WorkloadStudyToml, ATextThatIsNoTomlIsRefusedWithItsLine) {
    EXPECT_EQ(refusal("jobs = 3\nhosts == 4\n").rfind("s.toml:2: ", 0), 0U);
    EXPECT_EQ(refusal("jobs = 3\njobs = 4\n").rfind("s.toml:2: ", 0), 0U);
}

TEST(WorkloadStudyToml, ThreeThirdsAreOne) {
    std::string text;
    for (const char* name : {"\"a\"", "\"b\"", "\"c\""})
        text += with_line("likelihood = 0.333", with_line("name = " + std::string(name)));
    EXPECT_EQ(refusal(text), "");
}

TEST(WorkloadStudyToml, WhatNoStudyNeedsIsRefused) {
    const struct {
        std::string text, message;
    } table[] = {
        {"\n[[=]]\n", "s.toml:2: a header is not [name] or [[name]]"},
        {"[.classes]", "s.toml:1: a header is not [name] or [[name]]"},
        {"[ =", "s.toml:1: a header is not [name] or [[name]]"},
        {"[[classes]\n", "s.toml:1: a header is not [name] or [[name]]"},
        {"a = [[1]]\n",
         "s.toml:1: a list or table is in a list; write classes as tables [[classes]]"},
        {"a = [\n[1]]\n",
         "s.toml:2: a list or table is in a list; write classes as tables [[classes]]"},
        {"a = {2 = [ }\n",
         "s.toml:1: a list or table is in a list; write classes as tables [[classes]]"},
        {"a = [{b = 1}]\n",
         "s.toml:1: a list or table is in a list; write classes as tables [[classes]]"},
        {"a = 2026-01-01\n", "s.toml:1: a value is a date or a time; a string needs quotes"},
        {"a = [\n10:20]\n", "s.toml:2: a value is a date or a time; a string needs quotes"},
        {"a = \"\"\"x\"\"\"\n", "s.toml:1: a string has several lines"},
        {"\xc3\xb6 = 1\n", "s.toml:1: a character is not printable ASCII"},
        {"jobs = 1\x7f\n", "s.toml:1: a character is not printable ASCII"},
    };
    for (const auto& row : table) EXPECT_EQ(refusal(row.text), row.message) << row.text;
    // In strings and comments everything is allowed.
    const auto study = parse_study(
        "# [[= \xc3\xb6 2026-01-01\njobs = 2 # [\n" +
            with_line("command = [\"[[=\\\"[ \xc3\xb6\", '10:20\\', '[[', \"2026-01-01\"]"),
        "s.toml");
    EXPECT_EQ(study.classes.at(0).command,
              (std::vector<std::string>{"[[=\"[ \xc3\xb6", "10:20\\", "[[", "2026-01-01"}));
}

// A study with one character changed is read or refused; nothing else is thrown.
RC_GTEST_PROP(WorkloadStudyToml, AChangedTextIsReadOrRefused, ()) {
    auto text = example("small.toml");
    const auto place = *rc::gen::inRange<std::size_t>(0, text.size());
    text[place] = *rc::gen::arbitrary<char>();
    const auto message = refusal(text);
    RC_ASSERT(message.empty() || message.rfind("s.toml:", 0) == 0);
}

}  // namespace
}  // namespace ductile::workload::study_toml_test
