#include "core/engine/trace.h"

#include <doctest/doctest.h>

#include <map>
#include <string>
#include <thread>
#include <vector>

#include "core/text/json.h"

using percale::Json;
using percale::Trace;

namespace {

struct Event {
  int64_t row;
  double begin, length;
  std::string detail;
};

struct Read {
  std::map<int64_t, std::string> rows;
  std::multimap<std::string, Event> events;
  int64_t dropped = -1;
};

Read read(const Trace& trace) {
  Read out;
  const auto json = Json::parse(trace.to_json());
  REQUIRE(json.ok());
  const Json& events = *json->find("traceEvents");
  for (size_t i = 0; i < events.size(); ++i) {
    const Json& e = events.item(i);
    const std::string phase = *e.find("ph")->as_string("ph"), name = *e.find("name")->as_string("name");
    const int64_t row = *e.find("tid")->as_int("tid");
    CHECK(e.find("pid") != nullptr);
    if (phase == "M" && name == "thread_name") {
      out.rows[row] = *e.find("args")->find("name")->as_string("name");
    } else if (phase == "X") {
      const Json* args = e.find("args");
      out.events.insert({name,
                         {row, *e.find("ts")->as_double("ts"), *e.find("dur")->as_double("dur"),
                          args != nullptr ? *args->find("detail")->as_string("detail") : ""}});
    }
  }
  out.dropped = *json->find("otherData")->find("dropped_spans")->as_int("dropped_spans");
  return out;
}

}  // namespace

TEST_CASE("a trace is JSON with a named row per track and times in microseconds from its first span") {
  Trace trace;
  trace.add("MatMul", "cpu:0", 5'000'001'000, 5'000'003'500, "fc1");
  trace.add("Copy", "cuda:0", 5'000'000'000, 5'000'000'001);
  const Read got = read(trace);
  REQUIRE(got.events.count("MatMul") == 1);
  const Event& matmul = got.events.find("MatMul")->second;
  CHECK(matmul.begin == 1.0);
  CHECK(matmul.length == 2.5);
  CHECK(matmul.detail == "fc1");
  CHECK(got.rows.at(matmul.row) == "cpu:0");
  const Event& copy = got.events.find("Copy")->second;
  CHECK(copy.begin == 0.0);
  CHECK(copy.length == 0.001);
  CHECK(copy.detail == "");
  CHECK(got.rows.at(copy.row) == "cuda:0");
  CHECK(got.dropped == 0);
}

TEST_CASE("names come back whatever characters they have") {
  const std::string name = "a\"b\\c\n\t\x01/\xC3\xA9";
  Trace trace;
  trace.add(name, "row \"1\"", 0, 1, "</script>");
  const Read got = read(trace);
  REQUIRE(got.events.count(name) == 1);
  CHECK(got.events.find(name)->second.detail == "</script>");
  CHECK(got.rows.begin()->second == "row \"1\"");
  Trace broken;
  broken.add("\xFF\xFE", "x", 0, 1);
  CHECK(read(broken).events.size() == 1);
}

TEST_CASE("spans that overlap without enclosing each other are drawn in rows of their own") {
  Trace trace;
  trace.add("outer", "cpu:0", 0, 100);
  trace.add("inner", "cpu:0", 10, 100);
  trace.add("other run", "cpu:0", 50, 150);
  trace.add("later", "cpu:0", 100, 120);
  const Read got = read(trace);
  const auto row = [&](const char* name) { return got.events.find(name)->second.row; };
  CHECK(row("outer") == row("inner"));
  CHECK(row("outer") == row("later"));
  CHECK(row("other run") != row("outer"));
  CHECK(got.rows.at(row("other run")) == "cpu:0 (2)");
}

TEST_CASE("a trace keeps so many spans and counts what it drops") {
  Trace trace(3);
  for (int i = 0; i < 5; ++i) trace.add("n", "t", i, i + 1);
  const Read got = read(trace);
  CHECK(got.events.size() == 3);
  CHECK(got.dropped == 2);
}

TEST_CASE("an empty trace is a trace") { CHECK(read(Trace()).events.empty()); }

TEST_CASE("threads add spans at once and none is lost") {
  Trace trace;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&trace, t] {
      for (int i = 0; i < 500; ++i) trace.add("n", "row " + std::to_string(t), percale::now_ns(), percale::now_ns());
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(read(trace).events.size() == 2000);
}

TEST_CASE("the clock does not run backwards") {
  const int64_t first = percale::now_ns();
  CHECK(percale::now_ns() >= first);
}
