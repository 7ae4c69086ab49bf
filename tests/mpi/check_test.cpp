#include "mpi/check.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <string>

namespace {
std::string said;
std::size_t written = 0;
}  // namespace

// Replaces MPI's own function. Like MPICH for an error that has passed through many calls, it
// writes more bytes than the length that it returns, and more than MPI_MAX_ERROR_STRING.
extern "C" int MPI_Error_string(int /*code*/, char* text, int* length) {
    std::memset(text, 'x', written);
    std::memcpy(text, said.c_str(), said.size() + 1);
    *length = static_cast<int>(said.size());
    return MPI_SUCCESS;
}
extern "C" int MPI_Error_class(int /*code*/, int* error_class) {
    *error_class = MPI_ERR_COMM;
    return MPI_SUCCESS;
}

namespace ductile::mpi::check_test {
namespace {

TEST(Check, SaysWhatMpiSays) {
    said = "Invalid communicator";
    EXPECT_NO_THROW(check(MPI_SUCCESS, "MPI_Barrier"));
    try {
        check(77, "MPI_Barrier");
        FAIL();
    } catch (const MpiError& error) {
        EXPECT_STREQ(error.what(), "MPI_Barrier failed: Invalid communicator");
        EXPECT_EQ(error.error_class(), MPI_ERR_COMM);
    }
}

TEST(Check, SurvivesATextThatIsLongerThanMpiAllows) {
    said = std::string(MPI_MAX_ERROR_STRING - 1, 'e');
    for (written = MPI_MAX_ERROR_STRING; written <= 8 * std::size_t{MPI_MAX_ERROR_STRING};
         written += MPI_MAX_ERROR_STRING)
        EXPECT_THROW(check(77, "MPI_Comm_dup"), MpiError);
}

}  // namespace
}  // namespace ductile::mpi::check_test
