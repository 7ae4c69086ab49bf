// The progress engine with fake operations, which complete when the test says so.
#include "groups/progress_engine.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <thread>

namespace ductile::groups::progress_engine_test {
namespace {

/// What a test knows of an operation that the engine owns. It must outlive the engine.
struct Seen {
    std::atomic<int> tests{0}, waits{0};
    std::atomic<bool> is_ready{false}, fails{false}, is_gone{false};
};

class FakeOperation final : public Operation {
  public:
    explicit FakeOperation(Seen& seen) : seen_(seen) {}
    FakeOperation(const FakeOperation&) = delete;
    FakeOperation& operator=(const FakeOperation&) = delete;
    ~FakeOperation() override { seen_.is_gone = true; }
    bool test() override {
        ++seen_.tests;
        if (seen_.fails) throw std::runtime_error("it failed");
        return seen_.is_ready;
    }
    void wait() override { ++seen_.waits; }
    [[nodiscard]] bool complete() const override { return seen_.is_ready; }

  private:
    Seen& seen_;
};

std::unique_ptr<Operation> fake(Seen& seen) {
    return std::make_unique<FakeOperation>(seen);
}

TEST(ProgressEngine, pending_operations_advance_in_each_others_calls) {
    Seen first, second;
    ProgressEngine engine;
    const auto one = engine.start(fake(first));
    EXPECT_EQ(first.tests, 1);
    const auto two = engine.start(fake(second));
    EXPECT_EQ(first.tests, 2);
    EXPECT_FALSE(engine.test(two));
    first.is_ready = true;
    EXPECT_FALSE(engine.test(two));
    EXPECT_TRUE(first.is_gone);  // its memory is free as soon as it is complete
    EXPECT_TRUE(engine.test(one));
    EXPECT_EQ(engine.advance().left, 1U);
    second.is_ready = true;
    const auto progress = engine.advance();
    EXPECT_EQ(progress.completed, 1U);
    EXPECT_EQ(progress.left, 0U);
}

TEST(ProgressEngine, what_one_fails_with_is_thrown_to_who_asks_for_it) {
    Seen bad, good;
    ProgressEngine engine;
    bad.fails = true;
    const auto failed = engine.start(fake(bad));
    const auto other = engine.start(fake(good));
    EXPECT_FALSE(engine.test(other));
    EXPECT_THROW(engine.test(failed), std::runtime_error);
    EXPECT_THROW(engine.wait(failed), std::runtime_error);  // and again
    EXPECT_TRUE(bad.is_gone);
}

TEST(ProgressEngine, one_that_is_alone_waits_by_itself) {
    Seen seen;
    ProgressEngine engine;
    engine.run(fake(seen));
    EXPECT_EQ(seen.waits, 1);
    EXPECT_EQ(seen.tests, 0);
}

TEST(ProgressEngine, one_that_is_not_alone_lets_the_others_go_on) {
    Seen other, seen;
    ProgressEngine engine;
    const auto under_way = engine.start(fake(other));
    std::jthread later([&] {
        while (other.tests < 10) std::this_thread::yield();
        seen.is_ready = true;
    });
    engine.run(fake(seen));
    EXPECT_EQ(seen.waits, 0);
    EXPECT_GE(other.tests, 10);
    engine.abandon(under_way);
}

TEST(ProgressEngine, what_is_abandoned_is_over) {
    Seen seen;
    ProgressEngine engine;
    const auto one = engine.start(fake(seen));
    engine.abandon(one);
    EXPECT_TRUE(seen.is_gone);
    EXPECT_TRUE(engine.test(one));
    EXPECT_EQ(seen.tests, 1);
}

TEST(ProgressEngine, all_fail_at_the_end) {
    Seen free, left;
    ProgressEngine engine;
    const auto failure = std::make_exception_ptr(std::logic_error("the job is resized"));
    const auto one = engine.start(fake(free));
    engine.fail_all(failure, ProgressEngine::Leave::free);
    EXPECT_THROW(engine.test(one), std::logic_error);
    EXPECT_TRUE(free.is_gone);

    const auto two = engine.start(fake(left));
    auto* const operation = two->operation.get();
    engine.fail_all(failure, ProgressEngine::Leave::to_mpi);
    EXPECT_THROW(engine.test(two), std::logic_error);
    EXPECT_FALSE(left.is_gone);  // MPI may still write into it
    delete operation;
}

}  // namespace
}  // namespace ductile::groups::progress_engine_test
