// Fuzzes .percale files: for any bytes the reader returns an error or a graph, and such a graph can
// be planned and written again. Checksums are corrected first, since changed bytes would fail
// there.
#include <cstddef>
#include <cstdint>
#include <string>

#include "tests/fuzz/fuzz_graph.h"
#include "tests/unit/graph/seal.h"

namespace {

using percale::get_at;

// Corrects the checksums of tensors, if the graph leads to them.
void reseal_tensors(std::string& file) {
  const auto offset = get_at<uint64_t>(file, 16), bytes = get_at<uint64_t>(file, 24);
  const auto data = get_at<uint64_t>(file, 32), data_bytes = get_at<uint64_t>(file, 40);
  if (offset > file.size() || bytes > file.size() - offset || data > file.size() || data_bytes > file.size() - data)
    return;
  auto* begin = reinterpret_cast<uint8_t*>(file.data() + offset);
  flatbuffers::Verifier verifier(begin, static_cast<size_t>(bytes), 16, 4096);
  if (!percale::fb::VerifyGraphBuffer(verifier)) return;
  const auto* tensors = percale::fb::GetGraph(begin)->tensors();
  for (uint32_t i = 0; tensors != nullptr && i < tensors->size(); ++i) {
    const percale::fb::Tensor* tensor = tensors->Get(i);
    if (tensor->offset() > data_bytes || tensor->length() > data_bytes - tensor->offset()) continue;
    const std::string_view elements = std::string_view(file).substr(data + tensor->offset(), tensor->length());
    auto* table = reinterpret_cast<flatbuffers::Table*>(const_cast<percale::fb::Tensor*>(tensor));
    table->SetField<uint32_t>(percale::fb::Tensor::VT_CRC32C, percale::crc32c(elements), 0);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static percale_engine* const engine = percale::fuzz::engine("");
  std::string file(reinterpret_cast<const char*>(data), size);
  if (size >= percale::kFileHeaderBytes) {
    reseal_tensors(file);
    percale::reseal(file);
  }
  percale_graph* graph = nullptr;
  percale::fuzz::answered(percale_graph_load(engine, file.data(), file.size(), &graph));
  if (graph != nullptr) percale::fuzz::use(engine, graph);
  percale::fuzz::check_statuses();
  return 0;
}
