#include "core/file/file.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

#include "core/graph_io/reader.h"
#include "core/graph_io/writer.h"
#include "tests/unit/graph/sample.h"
#include "tests/unit/graph/seal.h"
#include "tests/unit/temp_folder.h"

namespace percale {
namespace {

using sample::must;
using sample::seconds;

std::shared_ptr<Buffer> borrowed(const std::string& bytes) {
  return Buffer::wrap(const_cast<char*>(bytes.data()), static_cast<int64_t>(bytes.size()), nullptr, nullptr);
}

Result<std::shared_ptr<const Graph>> read(const std::string& bytes, const ReadOptions& options = {}) {
  return read_graph(sample::registry(), borrowed(bytes), options);
}

std::string error_of(const std::string& bytes, Code code = Code::kInvalidArgument, const ReadOptions& options = {}) {
  const auto graph = read(bytes, options);
  REQUIRE_FALSE(graph.ok());
  CHECK(graph.status().code() == code);
  return std::string(graph.status().message());
}

bool has(const std::string& text, const char* part) {
  CAPTURE(text);
  const bool found = text.find(part) != std::string::npos;
  CHECK(found);
  return found;
}

TEST_CASE("graph -> file -> graph -> file gives the same bytes") {
  const auto graph = sample::everything();
  const std::string first = must(write_graph(*graph));
  CHECK(must(write_graph(*graph)) == first);
  const auto again = must(read(first));
  CHECK(must(write_graph(*again)) == first);
}

TEST_CASE("every part of a graph comes back as it was") {
  const auto before = sample::everything();
  const std::string bytes = must(write_graph(*before));
  const auto after = must(read(bytes));
  REQUIRE(after->functions.size() == before->functions.size());
  CHECK(after->metadata == before->metadata);
  CHECK(after->next_random_id == before->next_random_id);
  for (size_t i = 0; i < before->functions.size(); ++i) {
    const Function &a = before->functions[i], &b = after->functions[i];
    CAPTURE(a.name);
    CHECK(a.name == b.name);
    CHECK(a.inputs == b.inputs);
    CHECK(a.outputs == b.outputs);
    REQUIRE(a.values.size() == b.values.size());
    for (size_t k = 0; k < a.values.size(); ++k) {
      CHECK(a.values[k].name == b.values[k].name);
      CHECK(a.values[k].type == b.values[k].type);
      CHECK(a.values[k].kind == b.values[k].kind);
      CHECK(a.values[k].def == b.values[k].def);
      CHECK(a.values[k].output == b.values[k].output);
    }
    REQUIRE(a.constants.size() == b.constants.size());
    for (size_t k = 0; k < a.constants.size(); ++k) CHECK(AttrValue(a.constants[k]) == AttrValue(b.constants[k]));
    REQUIRE(a.nodes.size() == b.nodes.size());
    for (size_t k = 0; k < a.nodes.size(); ++k) {
      CHECK(a.nodes[k].name == b.nodes[k].name);
      CHECK(a.nodes[k].op == b.nodes[k].op);
      CHECK(a.nodes[k].inputs == b.nodes[k].inputs);
      CHECK(a.nodes[k].outputs == b.nodes[k].outputs);
      CHECK(a.nodes[k].control == b.nodes[k].control);
      CHECK(a.nodes[k].attributes == b.nodes[k].attributes);
      CHECK(a.nodes[k].device == b.nodes[k].device);
    }
  }
  REQUIRE(after->variables.size() == 2);
  for (size_t i = 0; i < 2; ++i) {
    const Variable &a = before->variables[i], &b = after->variables[i];
    CHECK(a.name == b.name);
    CHECK(a.dtype == b.dtype);
    CHECK(a.shape == b.shape);
    CHECK(a.trainable == b.trainable);
    CHECK(a.slot == b.slot);
    CHECK(a.initial.defined() == b.initial.defined());
  }
  const auto& rich = *std::find_if(after->main().nodes.begin(), after->main().nodes.end(),
                                   [](const Node& n) { return n.name == "rich"; });
  CHECK(std::signbit(rich.attributes.get_float("float", 1)));
}

TEST_CASE("a file on disk is mapped: its tensors point into the mapping and outlive the file") {
  const TempFolder folder;
  const auto graph = sample::everything();
  REQUIRE(write_graph_file(*graph, folder / "g.percale").ok());
  CHECK(must(read_file(folder / "g.percale")) == must(write_graph(*graph)));
  auto loaded = must(read_graph_file(sample::registry(), folder / "g.percale"));
  REQUIRE(remove_file(folder / "g.percale").ok());
  const Tensor w = loaded->variables[0].initial;
  const Tensor shift = loaded->find_function("body")->constants[0];
  loaded.reset();
  CHECK(w.buffer() == shift.buffer());
  CHECK(w.span<float>()[0] == 0.5F);
  CHECK(reinterpret_cast<uintptr_t>(w.data()) % 64 == 0);
  CHECK(shift.span<float>()[1] == 4);
  const Status absent = read_graph_file(sample::registry(), folder / "absent").status();
  CHECK(absent.code() == Code::kNotFound);
}

TEST_CASE("memory that is not aligned is copied") {
  const std::string bytes = must(write_graph(*sample::everything()));
  for (size_t shift : {1, 4, 8, 33}) {
    std::string moved(128 + bytes.size(), '\0');
    const auto base = reinterpret_cast<uintptr_t>(moved.data());
    char* at = moved.data() + (64 - base % 64) % 64 + shift;
    std::memcpy(at, bytes.data(), bytes.size());
    const auto graph =
        must(read_graph(sample::registry(), Buffer::wrap(at, static_cast<int64_t>(bytes.size()), nullptr, nullptr)));
    CHECK(reinterpret_cast<uintptr_t>(graph->variables[0].initial.data()) % 64 == 0);
    CHECK(must(write_graph(*graph)) == bytes);
  }
}

TEST_CASE("tensors that share memory are stored once and share it again") {
  Builder builder(sample::registry());
  const std::vector<float> ones(1000, 1.0F);
  const Tensor t = Tensor::vector<float>(ones);
  FunctionBuilder& f = builder.main();
  const ValueId a = must(f.add_constant(t)), b = must(f.add_constant(t));
  const ValueId c = must(f.add_constant(t.reshaped(Shape{10, 100})));
  REQUIRE(f.set_outputs({a, b, c}).ok());
  const std::string bytes = must(write_graph(*must(builder.finish())));
  CHECK(bytes.size() < 2 * 4000 + 2000);
  const auto graph = must(read(bytes));
  CHECK(graph->main().constants[0].data() == graph->main().constants[1].data());
  CHECK(graph->main().constants[2].shape() == Shape{10, 100});
  CHECK(must(write_graph(*graph)) == bytes);
}

TEST_CASE("a file cut short at any byte, or with bytes behind it, is refused") {
  const std::string bytes = must(write_graph(*sample::everything()));
  for (size_t size = 0; size < bytes.size(); ++size) {
    const auto graph = read(bytes.substr(0, size));
    CAPTURE(size);
    CHECK_FALSE(graph.ok());
  }
  CHECK_FALSE(read(bytes + '\0').ok());
}

TEST_CASE("every changed bit of header and graph is seen, and of tensors when their checksums are compared") {
  const std::string bytes = must(write_graph(*sample::everything()));
  const auto data_offset = get_at<uint64_t>(bytes, 32);
  for (size_t at = 0; at < bytes.size(); ++at) {
    // Zeros between the sections.
    if (at >= 64 + get_at<uint64_t>(bytes, 24) && at < data_offset) continue;
    for (int bit = 0; bit < 8; bit += at < 64 ? 1 : 7) {
      std::string changed = bytes;
      changed[at] = static_cast<char>(changed[at] ^ (1 << bit));
      const auto graph = read(changed);
      CAPTURE(at);
      if (at < data_offset) {
        CHECK_FALSE(graph.ok());
      } else if (!graph.ok()) {
        CHECK(graph.status().code() == Code::kDataLoss);
        CHECK(graph.status().message().find("tensor ") != std::string::npos);
      }
    }
  }
  std::string changed = bytes;
  changed.back() = static_cast<char>(changed.back() ^ 1);
  CHECK(has(error_of(changed, Code::kDataLoss), "checksum is wrong"));
}

TEST_CASE("each field of the header is checked, however the checksums are") {
  const std::string bytes = must(write_graph(*sample::everything()));
  for (size_t field : {8, 12}) {
    for (uint32_t value : {0U, 2U, 63U, 0x80000000U, 0xFFFFFFFFU}) {
      std::string changed = bytes;
      put_at(changed, field, value);
      reseal(changed);
      CHECK_FALSE(read(changed).ok());
    }
  }
  for (size_t field : {16, 24, 32, 40}) {
    const auto right = get_at<uint64_t>(bytes, field);
    for (uint64_t value : {uint64_t{0}, uint64_t{1}, right - 1, right + 1, right - 64, right + 64, uint64_t{1} << 31,
                           uint64_t{1} << 32, uint64_t{1} << 63, UINT64_MAX - 63, UINT64_MAX}) {
      if (value == right) continue;
      std::string changed = bytes;
      put_at(changed, field, value);
      reseal(changed);
      CAPTURE(field);
      CAPTURE(value);
      // One byte of padding more or less does not break a FlatBuffer.
      if (!(field == 24 && value + 1 >= right && value <= right + 1)) CHECK_FALSE(read(changed).ok());
    }
  }
}

TEST_CASE("what is no .percale file, and what a newer library wrote, is told apart") {
  CHECK(has(error_of(""), "not a .percale file"));
  CHECK(has(error_of("{\"json\": true}"), "not a .percale file"));
  CHECK(has(error_of("PERC", Code::kDataLoss), "truncated"));
  std::string bytes = must(write_graph(*sample::everything()));
  put_at<uint32_t>(bytes, 8, 2);
  reseal(bytes);
  CHECK(has(error_of(bytes, Code::kUnimplemented), "newer library"));
}

// Builds a complete file from these parts. It contains an empty "main".
struct Parts {
  flatbuffers::FlatBufferBuilder flat;
  uint32_t minimum_version = 1;
  std::vector<flatbuffers::Offset<fb::Text>> features;
  std::vector<flatbuffers::Offset<fb::Op>> ops;
  std::vector<flatbuffers::Offset<fb::Tensor>> tensors;
  std::vector<flatbuffers::Offset<fb::Function>> functions;
  std::vector<flatbuffers::Offset<fb::Variable>> variables;
  std::string data;

  std::string file() {
    if (functions.empty()) functions.push_back(fb::CreateFunctionDirect(flat, "main"));
    const auto f = flat.CreateVector(features);
    const auto o = flat.CreateVector(ops);
    const auto t = flat.CreateVector(tensors);
    const auto fs = flat.CreateVector(functions);
    const auto v = flat.CreateVector(variables);
    fb::FinishGraphBuffer(flat, fb::CreateGraph(flat, minimum_version, f, o, t, fs, v));
    return make_file(flat, data);
  }
  void tensor(int32_t dtype, std::vector<int64_t> dims, uint64_t offset, uint64_t length, uint32_t crc = 0) {
    tensors.push_back(fb::CreateTensorDirect(flat, dtype, &dims, offset, length, crc));
  }
};

TEST_CASE("a feature that is not known and a minimum version that is not reached are refused by name") {
  Parts plain;
  CHECK(read(plain.file()).ok());
  Parts feature;
  feature.features = {fb::CreateTextDirect(feature.flat, "zstd"), fb::CreateTextDirect(feature.flat, "holograms")};
  CHECK(has(error_of(feature.file(), Code::kUnimplemented), "'zstd', 'holograms'"));
  Parts version;
  version.minimum_version = 9;
  CHECK(has(error_of(version.file(), Code::kUnimplemented), "version 9"));
}

TEST_CASE("ops that are not known are all named, once") {
  Parts p;
  for (const char* name : {"Beta", "Alpha", "Beta"}) p.ops.push_back(fb::CreateOpDirect(p.flat, "", name, 7));
  p.ops.push_back(fb::CreateOpDirect(p.flat, "test", "Everything", 9));
  p.ops.push_back(fb::CreateOpDirect(p.flat, "test", "Add", 1));
  CHECK(error_of(p.file(), Code::kUnimplemented) ==
        "the file needs ops that this library does not have: Alpha version 7, Beta version 7, "
        "test:Everything version 9 (here version 3)");
}

TEST_CASE("a tensor's entry must fit its dtype, its dims and the bytes that are there") {
  constexpr int32_t kF32 = 1, kString = 8, kBool = 9;
  struct Case {
    int32_t dtype;
    std::vector<int64_t> dims;
    uint64_t offset, length;
    bool good;
  };
  const std::string data(200, '\0');
  const int64_t big = int64_t{1} << 40;
  const Case cases[] = {
      {kF32, {2, 8}, 0, 64, true},
      {kF32, {}, 128, 4, true},
      {kF32, {0, 5}, 192, 0, true},
      {kF32, {18}, 128, 72, true},
      {kF32, {19}, 128, 76, false},  // ends beyond the data
      {kF32, {2}, 256, 8, false},    // starts beyond the data
      {kF32, {2}, 4, 8, false},      // not aligned
      {kF32, {2}, 0, 9, false},      // length does not match dims
      {kF32, {2}, 0, 0, false},
      {kF32, {-1}, 0, 4, false},
      {kF32, {-2}, 0, 4, false},
      {kF32, {big + 1}, 0, 4, false},
      {kF32, {big, big}, 0, 0, false},     // 2^82 bytes
      {kF32, {big, big, 0}, 0, 0, false},  // empty, but strides would overflow
      {kF32, {1, 1, 1, 1, 1, 1, 1, 1, 1}, 0, 4, false},
      {kF32, {2}, UINT64_MAX - 63, 8, false},
      {kF32, {2}, uint64_t{1} << 63, 8, false},
      {0, {2}, 0, 8, false},
      {99, {2}, 0, 8, false},
      {-1, {2}, 0, 8, false},
      {kString, {2}, 0, 0, false},
      {kBool, {3}, 0, 3, true},
  };
  for (const Case& c : cases) {
    Parts p;
    p.data = data;
    p.tensor(c.dtype, c.dims, c.offset, c.length);
    CAPTURE(c.dtype);
    CAPTURE(c.offset);
    CAPTURE(c.length);
    const auto graph = read(p.file(), {.check_crc = false});
    CAPTURE(graph.status().to_string());
    CHECK(graph.ok() == c.good);
    if (!c.good) CHECK(graph.status().message().starts_with("tensor 0: "));
  }
}

TEST_CASE("tensors must not lie on each other, nor hold what is no bool") {
  Parts overlap;
  overlap.data = std::string(128, '\0');
  overlap.tensor(1, {20}, 0, 80);
  overlap.tensor(1, {2}, 64, 8);
  CHECK(has(error_of(overlap.file(), Code::kInvalidArgument, {.check_crc = false}), "tensor 1: its offset is 64"));
  Parts bools;
  bools.data = std::string("\0\1\2", 3);
  bools.tensor(9, {3}, 0, 3);
  CHECK(has(error_of(bools.file(), Code::kInvalidArgument, {.check_crc = false}), "element 2 must be 0 or 1, got 2"));
}

TEST_CASE("an index of a tensor or an op that is not there is refused with its place") {
  Parts constant;
  const std::vector<int32_t> indices = {0};
  constant.functions = {fb::CreateFunctionDirect(constant.flat, "main", nullptr, nullptr, &indices)};
  CHECK(has(error_of(constant.file()), "function 0: 'main': constant 0: there is no tensor 0"));
  Parts op;
  const std::vector<flatbuffers::Offset<fb::Node>> nodes = {fb::CreateNodeDirect(op.flat, "fc1", 5)};
  op.functions = {fb::CreateFunctionDirect(op.flat, "main", nullptr, &nodes)};
  CHECK(has(error_of(op.file()), "function 0: 'main': node 0: 'fc1': there is no op 5"));
}

TEST_CASE("parts that lie on each other cannot make a small file large") {
  // 20,000 nodes that share one list of 20,000 inputs: 400 million indices in 300 KB.
  Parts p;
  p.ops.push_back(fb::CreateOpDirect(p.flat, "test", "Everything", 3));
  const auto name = p.flat.CreateString("n");
  const auto inputs = p.flat.CreateVector(std::vector<int32_t>(20000, -1));
  std::vector<flatbuffers::Offset<fb::Node>> nodes;
  for (int i = 0; i < 20000; ++i) nodes.push_back(fb::CreateNode(p.flat, name, 0, inputs));
  const auto nodes_at = p.flat.CreateVector(nodes);
  const auto main = p.flat.CreateString("main");
  p.functions.push_back(fb::CreateFunction(p.flat, main, 0, nodes_at));
  const std::string file = p.file();
  CHECK(seconds([&] { CHECK(has(error_of(file), "bytes: they overlap")); }) < 1);

  // One node table, referred to a million times.
  Parts same;
  same.ops.push_back(fb::CreateOpDirect(same.flat, "test", "Everything", 3));
  const std::vector<flatbuffers::Offset<fb::Node>> one(1000000, fb::CreateNodeDirect(same.flat, "n", 0));
  same.functions.push_back(fb::CreateFunctionDirect(same.flat, "main", nullptr, &one));
  const std::string shared = same.file();
  CHECK(seconds([&] { CHECK_FALSE(read(shared).ok()); }) < 1);
}

TEST_CASE("limits of the caller hold") {
  const std::string bytes = must(write_graph(*sample::everything()));
  CHECK(has(error_of(bytes, Code::kResourceExhausted, {.limits = {.graph_bytes = 100}}), "the limit is 100"));
  CHECK(has(error_of(bytes, Code::kResourceExhausted, {.limits = {.nodes = 2}}), "the limit is 2"));
  CHECK(has(error_of(bytes, Code::kResourceExhausted, {.limits = {.tensors = 1}}), "the limit is 1"));
}

class Shelf final : public ExternalTensors {
 public:
  Result<Tensor> find(std::string_view file, std::string_view name) override {
    const auto found = tensors.find(std::string(name));
    if (file != "w.safetensors" || found == tensors.end()) return not_found("no tensor '", name, "'");
    return found->second;
  }
  std::map<std::string, Tensor> tensors;
};

TEST_CASE("weights may lie in another file: named once, checked when they are read") {
  const auto graph = sample::everything();
  const auto image = must(make_graph_image(*graph, {.external_file = "w.safetensors", .external_min_bytes = 8}));
  Shelf shelf;
  for (const auto& e : image.external) CHECK(shelf.tensors.emplace(e.name, e.tensor).second);
  CHECK(shelf.tensors.contains("w"));
  CHECK(shelf.tensors.contains("body/shift"));
  const TempFolder folder;
  REQUIRE(write_image(image, folder / "g.percale").ok());
  const auto without = read_graph_file(sample::registry(), folder / "g.percale");
  CHECK(without.status().code() == Code::kFailedPrecondition);
  const auto loaded = must(read_graph_file(sample::registry(), folder / "g.percale", {.external = &shelf}));
  CHECK(must(write_graph(*loaded)) == must(write_graph(*graph)));
  shelf.tensors["w"] = Tensor::scalar(1.0F);
  const Status other = read_graph_file(sample::registry(), folder / "g.percale", {.external = &shelf}).status();
  CHECK(has(std::string(other.message()), "'w' is f32 [] in the file 'w.safetensors', wanted f32 [2]"));
}

TEST_CASE("tensors of strings are not written") {
  Graph graph = *sample::everything();
  Tensor text = Tensor::copy_of(DType::kString, Shape{1}, nullptr, 0);
  graph.functions[0].constants.push_back(text);
  CHECK(write_graph(graph).status().code() == Code::kUnimplemented);
}

}  // namespace
}  // namespace percale
