// Exceptions that leave a handler.
#include "wire/event_loop.hpp"

#include <gtest/gtest.h>

#include <asio/post.hpp>
#include <stdexcept>
#include <vector>

namespace ductile::wire::event_loop_test {
namespace {

struct Loop {
    asio::io_context io;
    std::vector<std::string> told;
    int ran = 0;
    void post_a_fault(const char* what) {
        asio::post(io, [what] { throw std::runtime_error(what); });
    }
    void run() {
        run_to_end(io, [this](const std::string& why) {
            told.push_back(why);
            asio::post(io, [this] { ++ran; });
        });
    }
};

TEST(EventLoop, OneFaultIsToldAndHandlersRunOn) {
    Loop loop;
    loop.post_a_fault("first");
    asio::post(loop.io, [&] { ++loop.ran; });
    loop.run();
    EXPECT_EQ(loop.told, std::vector<std::string>{"first"});
    EXPECT_EQ(loop.ran, 2);
}

TEST(EventLoop, ASecondFaultLeaves) {
    Loop loop;
    loop.post_a_fault("first");
    loop.post_a_fault("second");
    EXPECT_THROW(loop.run(), std::runtime_error);
    EXPECT_EQ(loop.told, std::vector<std::string>{"first"});
}

}  // namespace
}  // namespace ductile::wire::event_loop_test
