#include "store/sqlite_store.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "store/data_folder.h"

namespace flametap::store {
namespace {

using testing::Test;

class SqliteStoreTest : public Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "flametap-store-XXXXXX";
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    store_ = reopen();
  }
  void TearDown() override {
    store_.reset();
    std::filesystem::remove_all(folder_);
  }

  [[nodiscard]] std::string path() const { return folder_ + "/profiles.sqlite"; }
  [[nodiscard]] std::unique_ptr<SqliteStore> reopen() const {
    auto opened = SqliteStore::open(path());
    EXPECT_TRUE(opened.ok());
    return opened ? std::move(*opened) : nullptr;
  }
  Entry add(const std::string& name, std::string_view ftap = "recording", Nanoseconds uploaded = 1000) {
    Entry entry{.id = *ProfileId::random(), .name = name, .uploaded_unix_ns = uploaded, .bytes = ftap.size()};
    EXPECT_TRUE(store_->add(entry, ftap, "<svg/>").ok());
    return entry;
  }
  [[nodiscard]] std::vector<std::string> names(const Query& query = {}) {
    std::vector<std::string> found;
    const auto listing = store_->list(query);
    EXPECT_TRUE(listing.ok());
    for (const Entry& entry : listing->entries) found.push_back(entry.name);
    return found;
  }

  std::string folder_;
  std::unique_ptr<SqliteStore> store_;
};

TEST_F(SqliteStoreTest, GivesBackWhatWasAddedAfterItIsOpenedAgain) {
  const std::string ftap = std::string(3'000'000, 'x') + std::string("\0end", 4);
  const Entry entry{.id = *ProfileId::random(),
                    .name = "shop",
                    .command = "python3 shop.py",
                    .host = "web1",
                    .python = "3.11.2",
                    .tags = {"env=prod", "a b"},
                    .mode = "wall",
                    .rate_hz = 99.5,
                    .start_unix_ns = 1'700'000'000'123'456'789,
                    .duration_ns = 7,
                    .uploaded_unix_ns = 8,
                    .bytes = ftap.size(),
                    .samples = 9};
  ASSERT_TRUE(store_->add(entry, ftap, "<svg/>").ok());
  store_ = reopen();

  EXPECT_EQ(**store_->find(entry.id), entry);
  EXPECT_EQ(*store_->read(entry.id, 0, 4'000'000), ftap);
  EXPECT_EQ(*store_->read(entry.id, 1'048'570, 20), ftap.substr(1'048'570, 20));
  EXPECT_EQ(*store_->read(entry.id, 3'000'000, 100), std::string("\0end", 4));
  EXPECT_EQ(*store_->read(entry.id, 5'000'000, 100), "");
  EXPECT_EQ(**store_->thumbnail(entry.id), "<svg/>");
}

TEST_F(SqliteStoreTest, AnIdIsTakenOnce) {
  const Entry entry = add("one");
  EXPECT_FALSE(store_->add(entry, "other", "").ok());
  EXPECT_EQ(*store_->read(entry.id, 0, 100), "recording");
}

TEST_F(SqliteStoreTest, WhatIsNotThereIsNotFound) {
  const ProfileId id = *ProfileId::random();
  EXPECT_FALSE(store_->find(id)->has_value());
  EXPECT_FALSE(store_->thumbnail(id)->has_value());
  EXPECT_FALSE(store_->update(id, {.name = "x"})->has_value());
  EXPECT_FALSE(*store_->remove(id));
  EXPECT_EQ(*store_->read(id, 0, 10), "");
}

TEST_F(SqliteStoreTest, ListsTheNewestFirstPageByPage) {
  for (int i = 0; i < 5; ++i) add("p" + std::to_string(i));
  const auto first = store_->list({.limit = 2});
  ASSERT_EQ(first->entries.size(), 2U);
  EXPECT_EQ(first->entries[0].name, "p4");
  ASSERT_TRUE(first->next);
  add("newer");  // does not disturb the pages that follow
  EXPECT_EQ(names({.limit = 2, .before = first->next}), (std::vector<std::string>{"p2", "p1"}));
  const auto last = store_->list({.limit = 5, .before = first->next});
  EXPECT_EQ(last->entries.size(), 3U);
  EXPECT_FALSE(last->next);
}

TEST_F(SqliteStoreTest, SearchesWordsInNameCommandHostAndTags) {
  Entry entry{
      .id = *ProfileId::random(), .name = "Shop", .command = "gunicorn app", .host = "web1", .tags = {"env=prod"}};
  ASSERT_TRUE(store_->add(entry, "x", "").ok());
  add("100%_done");
  EXPECT_EQ(names({.search = "shop"}), std::vector<std::string>{"Shop"});
  EXPECT_EQ(names({.search = "WEB1 gunicorn prod"}), std::vector<std::string>{"Shop"});
  EXPECT_TRUE(names({.search = "shop absent"}).empty());
  EXPECT_EQ(names({.search = "%_"}), std::vector<std::string>{"100%_done"});
  EXPECT_TRUE(names({.search = "' OR 1=1 --"}).empty());
  EXPECT_EQ(names({.tag = "env=prod"}), std::vector<std::string>{"Shop"});
  EXPECT_TRUE(names({.tag = "env=pro"}).empty());
}

TEST_F(SqliteStoreTest, ChangesNameAndTagsAndNothingElse) {
  Entry entry = add("before");
  ASSERT_TRUE(store_->update(entry.id, {.tags = std::vector<std::string>{"a"}}).ok());
  entry.name = "after";
  entry.tags = {"a"};
  EXPECT_EQ(**store_->update(entry.id, {.name = "after"}), entry);
  EXPECT_EQ(**store_->find(entry.id), entry);
}

TEST_F(SqliteStoreTest, WhatIsRemovedIsGone) {
  const Entry entry = add("one");
  EXPECT_TRUE(*store_->remove(entry.id));
  EXPECT_FALSE(store_->find(entry.id)->has_value());
  EXPECT_EQ(*store_->read(entry.id, 0, 10), "");
}

TEST_F(SqliteStoreTest, CleansByAge) {
  add("old", "x", 10);
  add("new", "x", 50);
  add("newest", "x", 60);
  EXPECT_EQ(*store_->clean({.max_age = 30}, 75), 1U);
  EXPECT_EQ(names(), (std::vector<std::string>{"newest", "new"}));
  EXPECT_EQ(*store_->clean({.max_age = 30}, 1000), 1U);
  EXPECT_EQ(names(), std::vector<std::string>{"newest"});
}

TEST_F(SqliteStoreTest, NothingBecomesTooOldByAJumpOfTheClock) {
  constexpr Nanoseconds kStart = 1'700'000'000 * kSecond;
  const Retention retention{.max_age = 30 * kDay};
  add("old", "x", kStart - 29 * kDay);
  add("new", "x", kStart);
  add("newest", "x", kStart);
  EXPECT_EQ(*store_->clean(retention, kStart), 0U);
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(*store_->clean(retention, kStart + 3650 * kDay), 0U);
    EXPECT_TRUE(store_->doubts_the_clock());
    store_ = reopen();
  }
  EXPECT_EQ(*store_->clean(retention, kStart + kDay), 0U);
  EXPECT_FALSE(store_->doubts_the_clock());
  store_->note_time(kStart + 2 * kDay);
  store_ = reopen();
  EXPECT_EQ(*store_->clean(retention, kStart + 3 * kDay), 1U);
  EXPECT_EQ(names(), (std::vector<std::string>{"newest", "new"}));
}

TEST_F(SqliteStoreTest, AFileWithoutATimeWasUsedWhenItsNewestProfileCame) {
  constexpr Nanoseconds kStart = 1'700'000'000 * kSecond;
  add("old", "x", kStart - 29 * kDay);
  add("newest", "x", kStart);
  EXPECT_EQ(*store_->clean({.max_age = 30 * kDay}, kStart + 100 * kDay), 0U);
  EXPECT_TRUE(store_->doubts_the_clock());
  store_ = reopen();
  EXPECT_EQ(*store_->clean({.max_age = 30 * kDay}, kStart + 101 * kDay), 1U);
}

TEST_F(SqliteStoreTest, CleansBySizeTheOldestFirst) {
  for (const char* name : {"a", "b", "c", "d"}) add(name, std::string(100, 'x'));
  EXPECT_EQ(*store_->clean({.max_bytes = 250}, 1), 2U);
  EXPECT_EQ(names(), (std::vector<std::string>{"d", "c"}));
  EXPECT_EQ(*store_->clean({.max_bytes = 250}, 1), 0U);
  EXPECT_EQ(*store_->clean({.max_bytes = 1}, 1), 1U);
  EXPECT_EQ(names(), std::vector<std::string>{"d"});
}

TEST_F(SqliteStoreTest, WhatIsRemovedIsGivenBackToTheDisk) {
  std::vector<Entry> entries;
  for (int i = 0; i < 4; ++i) entries.push_back(add("large", std::string(3'000'000, 'x')));
  const Entry last = add("last", std::string(3'000'000, 'y'));
  for (const Entry& entry : entries) EXPECT_TRUE(*store_->remove(entry.id));
  EXPECT_EQ(*store_->read(last.id, 0, 4'000'000), std::string(3'000'000, 'y'));
  EXPECT_LT(std::filesystem::file_size(path()), 4'000'000U);
  EXPECT_EQ(std::filesystem::file_size(path() + "-wal"), 0U);
}

TEST_F(SqliteStoreTest, HasAReserveThatItMakesAgain) {
  const std::string reserve = path() + "-reserve";
  EXPECT_EQ(std::filesystem::file_size(reserve), Reserve::kBytes);
  const Entry entry = add("one");
  std::filesystem::resize_file(reserve, 1000);
  EXPECT_TRUE(*store_->remove(entry.id));
  EXPECT_EQ(std::filesystem::file_size(reserve), Reserve::kBytes);
}

TEST_F(SqliteStoreTest, RefusesTablesOfANewerVersion) {
  store_.reset();
  ASSERT_TRUE(Database::open(path())->run("UPDATE schema SET version = 99").ok());
  const auto opened = SqliteStore::open(path());
  ASSERT_FALSE(opened.ok());
  EXPECT_NE(opened.error().message.find("newer flametap"), std::string::npos) << opened.error().message;
}

TEST_F(SqliteStoreTest, TakesCallsFromManyThreads) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([this] {
      // Few are added: each waits for the disk, which may have a lot to do. Finding does not.
      for (int j = 0; j < 5; ++j) {
        const Entry entry = add("t");
        for (int k = 0; k < 50; ++k) EXPECT_TRUE(store_->find(entry.id)->has_value());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(names({.limit = 100}).size(), 20U);
}

TEST_F(SqliteStoreTest, AFolderBelongsToOneServer) {
  const auto first = DataFolder::open(folder_ + "/data");
  ASSERT_TRUE(first.ok()) << first.error().message;
  const auto second = DataFolder::open(folder_ + "/data");
  ASSERT_FALSE(second.ok());
  EXPECT_NE(second.error().message.find("another flametap serve"), std::string::npos);
  EXPECT_EQ(std::filesystem::status(folder_ + "/data").permissions(), std::filesystem::perms::owner_all);
}

TEST(ProfileIdTest, IsRandomAndReadsBack) {
  const ProfileId id = *ProfileId::random();
  EXPECT_NE(id, *ProfileId::random());
  EXPECT_EQ(ProfileId::parse(id.text()), id);
  for (const char* text : {"", "abc", "ABCDEFGHIJKLMNOP", "../../etc/passwd", "abcdefghijklmno1", "abcdefghijklmnopq"})
    EXPECT_FALSE(ProfileId::parse(text)) << text;
}

}  // namespace
}  // namespace flametap::store
