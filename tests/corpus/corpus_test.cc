// Files of every release must load forever. Files that were refused stay refused, with the same
// reason.
#include <doctest/doctest.h>

#include <cstdlib>

#include "core/checkpoint/graph_files.h"
#include "core/file/file.h"
#include "core/text/json.h"
#include "ops/all_ops.h"

namespace percale {
namespace {

std::shared_ptr<const Registry> registry() {
  auto out = std::make_shared<Registry>();
  REQUIRE(register_all_ops(*out, nullptr).ok());
  return out;
}

std::string corpus() {
  const char* folder = std::getenv("PERCALE_CORPUS");
  REQUIRE(folder != nullptr);
  return folder;
}

std::vector<std::string> names_in(const std::string& folder) {
  auto names = list_folder(folder);
  REQUIRE_MESSAGE(names.ok(), names.status().to_string());
  return std::move(names).value();
}

std::vector<std::string> releases() {
  std::vector<std::string> out;
  for (const std::string& name : names_in(corpus())) {
    if (path_kind(corpus() + "/" + name + "/good") == PathKind::kFolder) out.push_back(name);
  }
  REQUIRE_FALSE(out.empty());
  return out;
}

std::vector<std::string> files(const std::string& folder) {
  std::vector<std::string> out;
  for (const std::string& name : names_in(folder)) {
    if (name.ends_with(".percale")) out.push_back(name);
  }
  return out;
}

TEST_CASE("good files of every release load and are written again to the same bytes") {
  size_t count = 0;
  for (const std::string& release : releases()) {
    const std::string folder = join_path(corpus(), release + "/good");
    for (const std::string& name : files(folder)) {
      CAPTURE(name);
      const auto graph = load_graph(registry(), join_path(folder, name));
      CHECK_MESSAGE(graph.ok(), graph.status().to_string());
      if (!graph.ok()) continue;
      const auto bytes = write_graph(**graph);
      REQUIRE(bytes.ok());
      const auto again =
          read_graph(registry(),
                     Tensor::copy_of(DType::kU8, Shape{}, bytes->data(), static_cast<int64_t>(bytes->size())).buffer());
      REQUIRE(again.ok());
      CHECK(*write_graph(**again) == *bytes);
      ++count;
    }
  }
  CHECK(count >= 4);
}

TEST_CASE("bad files of every release are refused with their reasons") {
  for (const std::string& release : releases()) {
    const std::string folder = join_path(corpus(), release + "/bad");
    const auto text = read_file(join_path(folder, "reasons.json"));
    REQUIRE(text.ok());
    const auto reasons = Json::parse(*text);
    REQUIRE(reasons.ok());
    CHECK(files(folder).size() == reasons->size());
    for (size_t i = 0; i < reasons->size(); ++i) {
      const std::string name = reasons->key(i) + ".percale";
      const std::string reason = *reasons->item(i).as_string(name);
      const Status status = load_graph(registry(), join_path(folder, name)).status();
      CAPTURE(name);
      CAPTURE(status.to_string());
      CHECK_FALSE(status.ok());
      CHECK(status.message().find(reason) != std::string::npos);
    }
  }
}

}  // namespace
}  // namespace percale
