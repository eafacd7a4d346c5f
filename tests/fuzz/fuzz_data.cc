// Fuzzes data files of one format, selected by the file name suffix PERCALE_FUZZ_SUFFIX. The reader
// returns an error or a data set, and all batches of such a data set can be read. With
// PERCALE_FUZZ_RULES, the first line of an input is the JSON of rules for CSV files, and the rest
// is the file.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tests/fuzz/fuzz_graph.h"
#include "tests/fuzz/scratch.h"

namespace {

// `csv` are rules for CSV files; other formats ignore them.
void read(percale_engine* engine, const std::string& path, const char* csv) {
  const char* const name = "x";
  const char* const file = path.c_str();
  percale_dataset* dataset = nullptr;
  percale::fuzz::answered(percale_dataset_from_files(engine, &name, &file, 1, 0, csv, &dataset));
  if (dataset == nullptr) return;
  percale::fuzz::answered(percale_dataset_configure(dataset, 3, 7, 0));
  std::vector<percale_tensor*> columns(percale_dataset_column_count(dataset));
  for (int batch = 0; batch < 4; ++batch) {
    percale_status* const status = percale_dataset_next(dataset, columns.data());
    const bool ended = status != nullptr;
    percale::fuzz::answered(status);
    if (ended) break;
    for (percale_tensor* column : columns) percale_tensor_release(column);
  }
  percale_dataset_release(dataset);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static percale_engine* const engine = percale::fuzz::engine("");
  static percale::fuzz::ScratchFolder folder;
  const std::string_view input(reinterpret_cast<const char*>(data), size);
#ifdef PERCALE_FUZZ_RULES
  const size_t line = std::min(input.find('\n'), input.size());
  const std::string rules(input.substr(0, line));
  const std::string& path = folder.write("data" PERCALE_FUZZ_SUFFIX, input.substr(std::min(line + 1, input.size())));
  read(engine, path + "#x,", rules.c_str());
  read(engine, path, rules.c_str());
#else
  const std::string& path = folder.write("data" PERCALE_FUZZ_SUFFIX, input);
  read(engine, path, nullptr);
  read(engine, path + "#x", nullptr);  // the tensor or column of that name
  if (path.ends_with(".csv")) {
    read(engine, path, R"({"missing": "mean", "separator": ";"})");
    read(engine, path + "#x,", R"({"missing": "nan", "header": true, "columns": {"x": {"type": "category"}}})");
  }
#endif
  percale::fuzz::check_statuses();
  return 0;
}
