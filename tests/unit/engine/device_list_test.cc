#include "core/engine/device_list.h"

#include <doctest/doctest.h>

#include <string>

using percale::DeviceRequest;
using percale::parse_devices;

namespace {

std::string error_of(std::string_view text) {
  const auto parsed = parse_devices(text);
  return parsed.ok() ? "" : std::string(parsed.status().message());
}

}  // namespace

TEST_CASE("a list names devices one by one, in its own order") {
  const auto parsed = parse_devices("cuda:1, cpu:0 ,cuda:0/1");
  REQUIRE(parsed.ok());
  REQUIRE(parsed->size() == 3);
  CHECK((*parsed)[0].name == "cuda:1");
  CHECK((*parsed)[0].kind == "cuda");
  CHECK((*parsed)[0].index == 1);
  CHECK((*parsed)[1].name == "cpu:0");
  CHECK((*parsed)[2].name == "cuda:0/1");
  CHECK((*parsed)[2].index == 0);
  for (const DeviceRequest& request : *parsed) CHECK(request.width == 0);
}

TEST_CASE("a group is so many devices, each so many threads wide") {
  const auto parsed = parse_devices("cpu=3x2,cuda=1");
  REQUIRE(parsed.ok());
  REQUIRE(parsed->size() == 4);
  for (size_t i = 0; i < 3; ++i) {
    CHECK((*parsed)[i].name == "cpu:" + std::to_string(i));
    CHECK((*parsed)[i].index == static_cast<int32_t>(i));
    CHECK((*parsed)[i].width == 2);
  }
  CHECK((*parsed)[3].name == "cuda:0");
  CHECK((*parsed)[3].width == 0);
}

TEST_CASE("a device of another process has the address or the task of that process") {
  const auto parsed = parse_devices(
      "remote:10.0.0.2:2222/cuda:1,remote:unix:/run/w/cpu:0,remote:unix:/run/w,remote:[::1]:9,/job:ps,"
      "/job:worker/task:3,/job:worker/task:0/device:cpu:2");
  REQUIRE(parsed.ok());
  REQUIRE(parsed->size() == 7);
  struct Row {
    const char *address, *job, *kind;
    int64_t task;
    int32_t index;
  };
  const Row rows[] = {{"10.0.0.2:2222", "", "cuda", -1, 1},
                      {"unix:/run/w", "", "cpu", -1, 0},
                      {"unix:/run/w", "", "", -1, 0},
                      {"[::1]:9", "", "", -1, 0},
                      {"", "ps", "", -1, 0},
                      {"", "worker", "", 3, 0},
                      {"", "worker", "cpu", 0, 2}};
  for (size_t i = 0; i < 7; ++i) {
    const DeviceRequest& request = (*parsed)[i];
    CAPTURE(request.name);
    CHECK(request.address == rows[i].address);
    CHECK(request.job == rows[i].job);
    CHECK(request.kind == rows[i].kind);
    CHECK(request.task == rows[i].task);
    CHECK(request.index == rows[i].index);
  }
}

TEST_CASE("an empty list and the word none are no devices") {
  for (const char* text : {"", "  ", "none", " none "}) {
    const auto parsed = parse_devices(text);
    REQUIRE(parsed.ok());
    CHECK(parsed->empty());
  }
}

TEST_CASE("a list of another form is refused, and the message quotes the item") {
  for (const char* item : {"cpu",
                           ":0",
                           "cpu:",
                           "cpu:x",
                           "cpu:-1",
                           "cpu:1.5",
                           "cpu:0x1",
                           "cpu:99999999999",
                           "cpu:0/",
                           "cpu:0/a",
                           "cpu=",
                           "cpu=0",
                           "cpu=x",
                           "cpu=2x",
                           "cpu=2x0",
                           "cpu=-1",
                           "cpu=2000",
                           "=2",
                           "=2x1",
                           "cpu:+1",
                           "remote:",
                           "remote:host",
                           "remote:host/cpu:0",
                           "/job:",
                           "/job:/task:0",
                           "/job:w/task:",
                           "/job:w/task:x",
                           "/job:w/task:-1",
                           "/job:w/task:99999999999",
                           "/job:w/x",
                           "/job:w/task:0/device:",
                           "/job:w/task:0/device:cpu",
                           "/job:w/task:0/cpu:0"}) {
    CAPTURE(item);
    CHECK(error_of(item).find(percale::str_cat("'", item, "'")) != std::string::npos);
    CHECK_FALSE(error_of(percale::str_cat("cuda:0,", item)).empty());
  }
  for (const char* list : {",", "cpu:0,", ",cpu:0", "cpu:0,,cpu:1"}) {
    CAPTURE(list);
    CHECK(error_of(list).find("an item is empty") != std::string::npos);
  }
}

TEST_CASE("a device that stands twice is refused by its name") {
  CHECK(error_of("cpu:0,cpu:0").find("cpu:0 stands twice") != std::string::npos);
  CHECK(error_of("cpu=2x1,cpu:1").find("cpu:1 stands twice") != std::string::npos);
  CHECK(error_of("cpu:0,cpu:00").find("cpu:0 stands twice") != std::string::npos);
}

TEST_CASE("all and none stand alone") {
  CHECK(error_of("all,cpu:0").find("'all' stands alone") != std::string::npos);
  CHECK(error_of("cpu:0,none").find("'none' stands alone") != std::string::npos);
}

TEST_CASE("more devices than an engine can have are refused before they are counted out") {
  CHECK(error_of("cpu=1024,cuda=1024,gpu=1024").find("more than 1024 devices") != std::string::npos);
}
