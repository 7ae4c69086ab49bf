#include "broker/journal.hpp"
#include "broker/snapshot_json.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "ductile/error.hpp"
#include "wire/limits.hpp"

namespace ductile::broker::journal_test {
namespace {

using core::GroupId;
using core::HostIndex;
using core::Rank;
using testing::HasSubstr;

/// A folder that is removed with this object.
struct Folder {
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    Folder() {
        char name[] = "/tmp/ductile-journal-XXXXXX";
        path = ::mkdtemp(name);
    }
    ~Folder() { std::filesystem::remove_all(path); }
    std::string file() const { return path + "/journal.sqlite"; }
    std::string path;
};

Snapshot example() {
    Snapshot known;
    known.stage = Stage::finishing;
    const core::Group wide{GroupId{0}, HostIndex{0}, 5, {{HostIndex{1}, 2}}};
    const core::Group other{GroupId{7}, HostIndex{1}, 3};
    const auto all = core::Layout::of({wide, other});
    // A rank in the middle of each group has left, and a rank of each group is parked on host 1.
    known.layout = all.without({Rank{1}, Rank{6}}, {Rank{3}, Rank{7}});
    known.given_back = {{HostIndex{0}, 1}, {HostIndex{2}, 4}};
    known.groups = {{wide, GroupId{0}, GroupRole::member}, {other, GroupId{0}, GroupRole::child}};
    known.agents = {{HostIndex{3}, core::Generation{12}}};
    resize::ResizePlan open;
    open.id = core::TransactionId{4};
    open.added = {other};
    open.before = known.layout;
    open.after = known.layout.with_back(1).with({{GroupId{8}, HostIndex{0}, 2}});
    open.given_back = {{HostIndex{2}, 3}};
    open.strategy = {plan::Method::baseline, plan::Start::diffusive, plan::Overlap::blocking,
                     plan::Executor::rma_lockall};
    open.secret = "5ec4e7";
    known.open.emplace(std::move(open));
    known.next.emplace().request.goal = NewSize{{4, 7}};
    known.next->continues = core::TransactionId{3};
    known.waiting.resize(2);
    known.waiting[0].request.goal = GiveBack{{{"a", 2}}};
    known.waiting[1] = {{}, core::TransactionId{2}};
    known.waiting[1].request.goal = Renewal{};
    for (const char* name : {"a", "b", "c", "d"})
        known.hosts.hosts.push_back({{name, 4}, {}, host::Up{}});
    ResizeRequest larger;
    larger.goal = NewSize{{2, 9}};
    known.awaiting =
        KnownAwaiting{larger, core::TransactionId{3}, core::TransactionId{4}, 5, Aim::smallest};
    known.generations = 12;
    known.next_group = 8;
    known.mpi_worlds_seen = 9;
    known.next_transaction = 5;
    known.health = 2;
    known.exit_code = 137;
    known.end_why = "because";
    return known;
}

TEST(Snapshot, ComesBackAsItWas) {
    for (const auto& snapshot : {Snapshot{}, example()})
        EXPECT_EQ(snapshot_from(nlohmann::json::parse(to_json(snapshot).dump())), snapshot);
}

TEST(Snapshot, NamesTheFieldThatIsBad) {
    const auto objection = [](auto change) -> std::string {
        auto json = to_json(example());
        change(json);
        try {
            snapshot_from(json);
        } catch (const InputError& error) {
            return error.what();
        }
        return "";
    };
    EXPECT_THAT(objection([](auto& json) { json.erase("layout"); }), HasSubstr("layout"));
    EXPECT_THAT(objection([](auto& json) { json.erase("hosts"); }), HasSubstr("hosts"));
    EXPECT_THAT(objection([](auto& json) { json["hosts"]["hosts"].erase(3); }),
                HasSubstr("snapshot.agents: there is no host 3"));
    EXPECT_THAT(objection([](auto& json) { json["awaiting"][0]["aim"] = "least"; }),
                HasSubstr("aim"));
    EXPECT_THAT(objection([](auto& json) { json["health"] = 3; }), HasSubstr("health"));
    EXPECT_THAT(objection([](auto& json) { json["stage"] = "asleep"; }), HasSubstr("stage"));
    EXPECT_THAT(objection([](auto& json) { json["layout"] = json["layout"]["active"]; }),
                HasSubstr("layout"));
    EXPECT_THAT(objection([](auto& json) { json["layout"].erase("parked"); }), HasSubstr("parked"));
    EXPECT_THAT(objection([](auto& json) { json["layout"]["active"][0]["ranks"] = 0; }),
                HasSubstr("ranks"));
    EXPECT_THAT(objection([](auto& json) { json["layout"]["parked"][0]["first"] = -1; }),
                HasSubstr("first"));
    EXPECT_THAT(
        objection([](auto& json) { json["open"][0]["plan"]["after"]["active"][0].erase("host"); }),
        HasSubstr("host"));
    EXPECT_THAT(objection([](auto& json) { json["given_back"][0]["slots"] = 0; }),
                HasSubstr("slots"));
    EXPECT_THAT(objection([](auto& json) { json.erase("given_back"); }), HasSubstr("given_back"));
    EXPECT_THAT(objection([](auto& json) { json["groups"][0]["role"] = "leaver"; }),
                HasSubstr("role"));
    EXPECT_THAT(objection([](auto& json) { json["open"][0]["plan"]["way"]["start"] = 5; }),
                HasSubstr("start"));
    EXPECT_THAT(objection([](auto& json) {
                    auto& size = json["next"][0]["request"]["size"];
                    size["lower"] = size["upper"] = 0;
                }),
                HasSubstr("next"));
    EXPECT_THAT(objection([](auto& json) { json["waiting"][1]["request"]["renew"] = false; }),
                HasSubstr("waiting"));
    EXPECT_THAT(objection([](auto& json) { json["waiting"][0].erase("continues"); }),
                HasSubstr("waiting"));
    EXPECT_THAT(objection([](auto& json) { json = nlohmann::json::array(); }), HasSubstr("object"));
}

// Each range is within the limit, but all ranges together are not.
TEST(Snapshot, HasNoMoreRanksThanCanBeCounted) {
    for (const auto* where : {"active", "parked"}) {
        auto json = to_json(example());
        auto& ranges = json["layout"][where];
        ranges[0]["ranks"] = wire::limits::ranks;
        EXPECT_THROW(snapshot_from(json), InputError) << where;
    }
    auto json = to_json(example());
    json["groups"][0]["elsewhere"][0]["ranks"] = 5;
    EXPECT_THROW(snapshot_from(json), InputError) << "none on the first host";
}

TEST(Snapshot, HasNoProcessTwice) {
    using Json = nlohmann::json;
    const auto is_refused = [](auto damage) {
        auto json = to_json(example());
        damage(json);
        EXPECT_THROW(snapshot_from(json), InputError);
    };
    is_refused([](Json& json) {
        auto& layout = json["layout"];
        layout["active"].push_back(layout["active"][0]);
    });
    is_refused([](Json& json) {
        auto& layout = json["layout"];
        layout["active"].push_back(layout["parked"][0]);
    });
    is_refused([](Json& json) { json["layout"]["active"][0]["ranks"] = 4; });
    for (const auto* when : {"before", "after"})
        is_refused([when](Json& json) {
            auto& layout = json["open"][0]["plan"][when];
            layout["parked"].push_back(layout["active"][0]);
        });
}

TEST(Journal, IsThereForTheNextBroker) {
    const Folder folder;
    {
        auto journal = Journal::create(folder.file(), {{"settings", {{"ranks", 3}}}});
        struct stat found {};
        ASSERT_EQ(::stat(folder.file().c_str(), &found), 0);
        EXPECT_EQ(found.st_mode & 0777, 0600u);
        ASSERT_EQ(journal.record("first", Snapshot{}), std::nullopt);
        ASSERT_EQ(journal.record("second", example()), std::nullopt);
        for (int i = 0; i < 5; ++i) journal.record_resize({{"transaction", i}});
    }
    const auto journal = Journal::reopen(folder.file());
    EXPECT_EQ(journal.origin(), (nlohmann::json{{"settings", {{"ranks", 3}}}}));
    EXPECT_EQ(journal.last_step(), "second");
    EXPECT_EQ(journal.snapshot(), example());
    const auto resizes = journal.resizes(3);
    ASSERT_EQ(resizes.size(), 3u);
    EXPECT_EQ(resizes.front()["transaction"], 2);
    EXPECT_EQ(resizes.back()["transaction"], 4);
}

TEST(Journal, IsPrivateUnderAnyUmask) {
    for (const mode_t mask : {0000U, 0022U, 0777U}) {
        const Folder folder;
        const mode_t before = ::umask(mask);
        auto journal = Journal::create(folder.file(), {});
        ASSERT_EQ(journal.record("a step", Snapshot{}), std::nullopt);
        ::umask(before);
        for (const auto& entry : std::filesystem::directory_iterator(folder.path)) {
            struct stat found {};
            ASSERT_EQ(::stat(entry.path().c_str(), &found), 0);
            EXPECT_EQ(found.st_mode & 0777, 0600u) << entry.path();
        }
    }
}

TEST(Journal, IsMadeInNobodysPlace) {
    const Folder folder;
    std::filesystem::create_symlink("/tmp/elsewhere", folder.file());
    EXPECT_THROW(Journal::create(folder.file(), {}), SystemError);
}

// A limit on the size of files stands for a full disk.
TEST(Journal, WhatCannotBeWrittenIsSaidAndTriedAgain) {
    const Folder folder;
    auto journal = Journal::create(folder.file(), {});
    ASSERT_EQ(journal.record("first", example()), std::nullopt);
    const auto before = std::signal(SIGXFSZ, SIG_IGN);
    rlimit limit{};
    ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &limit), 0);
    const rlimit small{std::filesystem::file_size(folder.file() + "-wal"), limit.rlim_max};
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
    for (int i = 0; i < 3; ++i) {
        const auto why = journal.record("second", Snapshot{});
        ASSERT_TRUE(why);
        EXPECT_THAT(*why, HasSubstr(folder.file()));
    }
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &limit), 0);
    std::signal(SIGXFSZ, before);
    EXPECT_EQ(journal.last_step(), "first");
    EXPECT_EQ(journal.snapshot(), example());
    EXPECT_EQ(journal.record("third", Snapshot{}), std::nullopt);
    EXPECT_EQ(journal.last_step(), "third");
}

TEST(Journal, OneBrokerHoldsIt) {
    const Folder folder;
    auto journal = Journal::create(folder.file(), {});
    try {
        Journal::reopen(folder.file());
        FAIL();
    } catch (const InputError& error) {
        EXPECT_THAT(error.what(), HasSubstr("held by a broker"));
    }
    ASSERT_EQ(journal.record("it still writes", Snapshot{}), std::nullopt);
    EXPECT_EQ(journal.last_step(), "it still writes");
}

TEST(Journal, WhatIsNoneIsRefused) {
    const Folder folder;
    EXPECT_THROW(Journal::reopen(folder.file()), InputError);
    std::ofstream(folder.file()) << "no database";
    EXPECT_THROW(Journal::reopen(folder.file()), InputError);
    std::filesystem::remove(folder.file());
    {
        const auto empty = Journal::create(folder.file(), {});
        EXPECT_THROW(static_cast<void>(empty.snapshot()), InputError);
    }
    EXPECT_THROW(Journal::create(folder.path + "/none/journal.sqlite", {}), SystemError);
}

TEST(Journal, OfAnotherFormatIsRefusedAndBothAreNamed) {
    const Folder folder;
    static_cast<void>(Journal::create(folder.file(), {}));
    sqlite3* database = nullptr;
    ASSERT_EQ(sqlite3_open(folder.file().c_str(), &database), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(database, "UPDATE origin SET format = format + 1000", nullptr, nullptr,
                           nullptr),
              SQLITE_OK);
    sqlite3_close(database);
    try {
        static_cast<void>(Journal::reopen(folder.file()));
        FAIL();
    } catch (const InputError& error) {
        EXPECT_THAT(error.what(),
                    testing::ContainsRegex("is of format 10[0-9][0-9], and this ductile reads "
                                           "format [0-9]+: take the job over with the ductile"));
    }
}

// A message of a launcher may have any bytes.
TEST(Journal, TakesWhatIsNoText) {
    const Folder folder;
    auto journal = Journal::create(folder.file(), {{"environment", "A=\xff"}});
    auto known = example();
    known.end_why = "mpiexec said \xfe\xff";
    ASSERT_EQ(journal.record("ended", known), std::nullopt);
    EXPECT_EQ(journal.snapshot(), known);
}

TEST(Journal, DoesNotGrowForEver) {
    const Folder folder;
    auto journal = Journal::create(folder.file(), {});
    for (int i = 0; i < 1500; ++i) {
        ASSERT_EQ(journal.record("step", Snapshot{}), std::nullopt);
        if (i % 3 == 0) journal.record_resize({{"transaction", i}});
    }
    EXPECT_EQ(journal.resizes(5000).size(), 500u);
    EXPECT_LT(std::filesystem::file_size(folder.file()), 4u << 20);
    EXPECT_EQ(journal.snapshot(), Snapshot{});
}

}  // namespace
}  // namespace ductile::broker::journal_test
