#include "cli/submit_words.hpp"

#include <gtest/gtest.h>

#include "ductile/error.hpp"

namespace ductile::cli::submit_words_test {
namespace {

using Words = std::vector<std::string>;

TEST(SubmitWords, TheJobHasOneHostAndRunsDuctile) {
    EXPECT_EQ(
        submit_words({"--time=10", "-p", "long"}, {"-n", "8", "--", "./heat", "a b"}, "/d/ductile"),
        (Words{"sbatch", "--nodes=1", "--exclusive", "--job-name=heat",
               "--wrap=exec /d/ductile run --slurm-job=here -n 8 -- ./heat 'a b'", "--time=10",
               "-p", "long"}));
}

TEST(SubmitWords, TheProgramAloneIsEnough) {
    EXPECT_EQ(submit_words({}, {"./heat", "it's"}, "d").back(),
              "--wrap=exec d run --slurm-job=here -- ./heat 'it'\\''s'");
}

TEST(SubmitWords, MoreHostsAreNotAskedOfSbatch) {
    for (const char* word : {"--nodes=4", "--nodes", "-N4", "-N", "--ntasks=8", "-n8",
                             "--nodelist=a", "-wa", "--array=1-3", "-a1-3", "--wrap=x",
                             "--arra=1-3", "--node=2", "--ntask=2", "--nodefile=f", "-F"})
        EXPECT_THROW(submit_words({word}, {"./heat"}, "d"), InputError) << word;
    for (const char* word :
         {"--ntasks-per-node=4", "--no-kill", "--nice", "--wait", "--account=a", "-A", "-J"})
        EXPECT_NO_THROW(submit_words({word}, {"./heat"}, "d")) << word;
}

TEST(SubmitWords, ThereMustBeAProgram) {
    EXPECT_THROW(submit_words({"--time=3"}, {}, "d"), InputError);
    EXPECT_THROW(submit_words({}, {"-n", "4", "--"}, "d"), InputError);
    EXPECT_THROW(submit_words({}, {"-n", "4", "./heat"}, "d"), InputError);  // a forgotten --
    EXPECT_THROW(submit_words({}, {"./heat", "--", "x"}, "d"), InputError);
}

}  // namespace
}  // namespace ductile::cli::submit_words_test
