// Tests that start agents start this executable again as `agent`.
#include <gtest/gtest.h>

#include <string_view>

#include "agent/agent_command.hpp"

int main(int argc, char** argv) {
    if (argc > 1 && std::string_view(argv[1]) == "agent") {
        if (argc == 4 && std::string_view(argv[2]) == "--sweep")
            return ductile::agent::sweep(argv[3]);
        return ductile::agent::run_agent(0);
    }
    ::testing::InitGoogleTest(&argc, argv);
    return RUN_ALL_TESTS();
}
