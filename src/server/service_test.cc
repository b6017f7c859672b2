#include "server/service.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>

#include "store/sqlite_store.h"
#include "viewer/page.h"

namespace flametap::server {
namespace {

constexpr const char* kFolded = "a;b 3\na;c 1\n";

std::string value_of(const Response& response, const std::string& header) {
  for (const auto& [name, value] : response.headers) {
    if (name == header) return value;
  }
  return "";
}

class ServiceTest : public testing::Test {
 protected:
  Response ask(Method method, const std::string& target, const std::string& body = "", Head head = {}) {
    head.method = method;
    head.target = target;
    head.host = "localhost";
    head.peer = "127.0.0.1";
    head.content_length = body.size();
    auto admitted = service_.admit(head);
    if (auto* const refused = std::get_if<Response>(&admitted)) return *refused;
    return service_.answer(head, std::get<Service::Admitted>(admitted), body);
  }
  Response get(const std::string& target) { return ask(Method::get, target); }
  std::string upload(const std::string& query = "") {
    const Response response = ask(Method::post, "/api/profiles" + query, kFolded);
    EXPECT_EQ(response.status, 201U) << response.body;
    return nlohmann::json::parse(response.body)["id"];
  }

  std::unique_ptr<store::SqliteStore> store_ = std::move(*store::SqliteStore::in_memory());
  LiveRecordings live_;
  Intake intake_{*store_, {}};
  Service service_{
      {.access = {.hosts = {"localhost"}}, .page = {.html = "page", .policy = "policy"}, .max_upload = 1000},
      {.store = *store_, .intake = intake_, .live = live_}};
};

TEST_F(ServiceTest, RoutesByMethodAndPath) {
  EXPECT_EQ(get("/").body, "page");
  EXPECT_EQ(get("/diff/a/b").policy, "policy");
  EXPECT_EQ(get("/nothing").status, 404U);
  EXPECT_EQ(get("/p").status, 404U);
  EXPECT_EQ(ask(Method::remove, "/").status, 405U);
  EXPECT_EQ(ask(Method::head, "/api/status").status, 200U);
  EXPECT_EQ(get("/api/processes").status, 403U);
}

TEST_F(ServiceTest, RefusesABodyByItsHeadAlone) {
  EXPECT_EQ(ask(Method::post, "/api/profiles", std::string(1001, 'x')).status, 413U);
  EXPECT_EQ(ask(Method::get, "/api/status", "x").status, 413U);
}

TEST_F(ServiceTest, KeepsWhatIsUploaded) {
  const std::string id = upload("?name=shop&tags=x,y");
  const auto about = nlohmann::json::parse(get("/api/profiles/" + id).body);
  EXPECT_EQ(about["name"], "shop");
  EXPECT_EQ(about["tags"], (std::vector<std::string>{"x", "y"}));
  EXPECT_EQ(about["samples"], 4);
  EXPECT_EQ(get("/api/profiles/" + id + "/folded").body, kFolded);
  EXPECT_EQ(ask(Method::remove, "/api/profiles/" + id).status, 204U);
  EXPECT_EQ(get("/api/profiles/" + id + "/folded").status, 404U);
}

TEST_F(ServiceTest, APageHasTheRecordingAsItWasSent) {
  const std::string id = upload();
  const std::string page = get("/api/profiles/" + id + "/html").body;
  const auto stored = store_->read(*store::ProfileId::parse(id), 0, 1 << 20);
  ASSERT_TRUE(stored);
  EXPECT_TRUE(viewer::first_recording(page) == *stored);
}

TEST_F(ServiceTest, AGrowingRecordingIsReadAsFarAsItIs) {
  std::string path = testing::TempDir() + "flametap-live-XXXXXX";
  const Fd created(::mkstemp(path.data()));
  ASSERT_TRUE(created);
  const auto id = *store::ProfileId::random();
  std::ofstream file(path);
  file << "begin" << std::flush;
  const auto live = *LiveRecording::open(path, {.id = id, .name = "now"});
  live_.add(live);
  const std::string target = "/api/profiles/" + id.text();
  EXPECT_EQ(nlohmann::json::parse(get(target).body)["live"], true);
  EXPECT_EQ(nlohmann::json::parse(get("/api/profiles").body)["profiles"][0]["id"], id.text());

  file << " end" << std::flush;
  const Response rest = get(target + "/ftap?from=5");
  ASSERT_TRUE(rest.stream);
  EXPECT_EQ(rest.stream->size, 4U);
  EXPECT_EQ(value_of(rest, "Flametap-Live"), "yes");
  EXPECT_EQ(*rest.stream->read(0, 100), " end");
  EXPECT_EQ(get(target + "/ftap?from=9").stream->size, 0U);
  EXPECT_TRUE(live->last_request());
  EXPECT_FALSE(live->rest_was_read());

  live->complete();
  const Response last = get(target + "/ftap?from=5");
  EXPECT_EQ(value_of(last, "Flametap-Live"), "no");
  EXPECT_EQ(nlohmann::json::parse(get(target).body)["live"], false);
  EXPECT_EQ(*last.stream->read(0, 2), " e");
  EXPECT_FALSE(live->rest_was_read());
  EXPECT_EQ(*last.stream->read(2, 100), "nd");
  EXPECT_TRUE(live->rest_was_read());
  EXPECT_EQ(ask(Method::remove, target).status, 409U);
  live_.remove(id);
  EXPECT_EQ(get(target).status, 404U);
  std::remove(path.c_str());
}

TEST_F(ServiceTest, WithoutAProgramThereIsNoneToDownload) { EXPECT_EQ(get("/pyflame").status, 404U); }

TEST_F(ServiceTest, PicturesAreListedWithTheTimeOfTheirUpload) {
  const auto id = *store::ProfileId::random();
  ASSERT_TRUE(store_->add({.id = id, .name = "a<b", .uploaded_unix_ns = 1'700'000'000'999'999'999}, "x", "").ok());
  const std::string page = get("/svg").body;
  EXPECT_NE(page.find(id.text() + ".svg</a> a&lt;b, 2023-11-14 22:13:20 UTC</li>"), std::string::npos) << page;
}

TEST_F(ServiceTest, LabelsAreBounded) {
  EXPECT_EQ(ask(Method::post, "/api/profiles?name=%0a", kFolded).status, 422U);
  EXPECT_EQ(ask(Method::post, "/api/profiles?name=" + std::string(201, 'x'), kFolded).status, 422U);
  EXPECT_EQ(ask(Method::post, "/api/profiles?tags=%ff", kFolded).status, 422U);
}

}  // namespace
}  // namespace flametap::server
