#include "core/train/data/data_columns.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "core/train/data/csv.h"
#include "core/train/data/data_files.h"
#include "core/train/data/row_source.h"

namespace percale {
namespace {

struct Part {
  std::string path, selection;  // of "path#selection"
};

Result<Part> split(const std::string& text, const FindFile& find) {
  const size_t mark = text.rfind('#');
  Part out;
  if (mark != std::string::npos) out.selection = text.substr(mark + 1);
  PERCALE_ASSIGN_OR_RETURN(out.path, find(text.substr(0, mark)));
  return out;
}

// The columns of a CSV file that are a column's own. `claimed`: those that others of the set have there; null when nobody has.
Result<std::vector<size_t>> select(const CsvFile& file, const ColumnFiles& column, const std::string& selection,
                                   const std::vector<size_t>* claimed) {
  std::vector<size_t> out;
  if (!selection.empty()) {
    for (size_t at = 0; at <= selection.size();) {
      const size_t end = std::min(selection.find(',', at), selection.size());
      PERCALE_ASSIGN_OR_RETURN(out.emplace_back(), file.find(selection.substr(at, end - at)));
      at = end + 1;
    }
    return out;
  }
  if (const auto own = file.find(column.name); own.ok()) return std::vector<size_t>{*own};
  if (claimed != nullptr && column.name != "x") return std::vector<size_t>{file.names().size() - 1};
  for (size_t i = 0; i < file.names().size(); ++i) {
    if (claimed == nullptr || std::find(claimed->begin(), claimed->end(), i) == claimed->end()) out.push_back(i);
  }
  return out;
}

Result<std::shared_ptr<Dataset>> tensor_set(const ColumnFiles& column, const Part& part,
                                            const std::shared_ptr<MemoryPool>& pool) {
  Column out{column.name, {}, column.dtype, 1};
  PERCALE_ASSIGN_OR_RETURN(out.data,
                           load_tensor_file(part.path, part.selection.empty() ? column.name : part.selection, pool));
  const DType dtype = out.data.dtype();
  if (column.keeps_floats && is_float(dtype)) {
    out.dtype = dtype;
  } else if (column.dtype != DType::kInvalid) {
    out.scale = column.scale;
  } else if (out.data.shape().rank() == 1 && is_integer(dtype)) {
    out.dtype = DType::kI64;
  } else if (dtype == DType::kU8 && column.scale != 0) {
    out.dtype = DType::kF32;
    out.scale = column.scale;
  }
  return Dataset::create({std::move(out)}, pool);
}

}  // namespace

Result<std::shared_ptr<Dataset>> load_columns(const std::vector<ColumnFiles>& columns, const FindFile& find,
                                              const std::shared_ptr<MemoryPool>& pool) {
  // Who lies where, and what of CSV files is whose. Of CSV files "x" comes last: it takes what is left.
  std::vector<std::vector<Part>> parts;
  std::map<std::string, std::shared_ptr<const CsvFile>> files;
  std::map<std::string, size_t> users;
  for (const ColumnFiles& column : columns) {
    auto& own = parts.emplace_back();
    for (const std::string& path : column.paths) {
      PERCALE_ASSIGN_OR_RETURN(Part part, split(path, find));
      if (part.path.ends_with(".csv")) {
        ++users[part.path];
        if (!files.contains(part.path)) {
          PERCALE_ASSIGN_OR_RETURN(files[part.path], CsvFile::open(part.path));
        }
      }
      own.push_back(std::move(part));
    }
    if (own.empty()) return invalid_argument("data set: '", column.name, "' has no file");
  }
  std::vector<size_t> order(columns.size());
  std::iota(order.begin(), order.end(), size_t{0});
  if (!files.empty()) {
    std::stable_sort(order.begin(), order.end(),
                     [&](size_t a, size_t b) { return columns[a].name != "x" && columns[b].name == "x"; });
  }
  std::map<std::string, std::vector<size_t>> claimed;
  std::vector<std::shared_ptr<const Dataset>> sets(columns.size());
  bool all_tensors = true;
  for (size_t i : order) {
    const ColumnFiles& column = columns[i];
    std::vector<std::shared_ptr<const Dataset>> own;
    DType csv_dtype = column.dtype;
    for (const Part& part : parts[i]) {
      if (!part.path.ends_with(".csv")) {
        PERCALE_ASSIGN_OR_RETURN(own.emplace_back(), tensor_set(column, part, pool));
        continue;
      }
      const auto& file = files[part.path];
      auto& taken = claimed[part.path];
      PERCALE_ASSIGN_OR_RETURN(auto chosen,
                               select(*file, column, part.selection, users[part.path] > 1 ? &taken : nullptr));
      taken.insert(taken.end(), chosen.begin(), chosen.end());
      const bool scalar = chosen.size() == 1 && column.name != "x";
      if (csv_dtype == DType::kInvalid) {
        csv_dtype = chosen.size() == 1 && file->looks_whole(chosen) ? DType::kI64 : DType::kF32;
      }
      PERCALE_ASSIGN_OR_RETURN(auto rows, csv_rows(file, column.name, std::move(chosen), csv_dtype, scalar));
      PERCALE_ASSIGN_OR_RETURN(own.emplace_back(), Dataset::from_rows(std::move(rows), pool));
    }
    if (own.size() == 1) {
      sets[i] = own[0];
    } else {
      PERCALE_ASSIGN_OR_RETURN(auto rows, joined_rows(std::move(own)));
      PERCALE_ASSIGN_OR_RETURN(sets[i], Dataset::from_rows(std::move(rows), pool));
    }
    all_tensors = all_tensors && sets[i]->columns()[0].data.defined();
  }
  if (all_tensors) {
    std::vector<Column> all;
    for (const auto& set : sets) all.push_back(set->columns()[0]);
    return Dataset::create(std::move(all), pool);
  }
  PERCALE_ASSIGN_OR_RETURN(auto rows, zipped_rows(std::move(sets)));
  return Dataset::from_rows(std::move(rows), pool);
}

Result<std::shared_ptr<Dataset>> Dataset::from_files(const std::vector<std::string>& names,
                                                     const std::vector<std::string>& paths, double scale,
                                                     std::shared_ptr<MemoryPool> pool) {
  if (names.size() != paths.size()) {
    return invalid_argument("data set: ", static_cast<uint64_t>(names.size()), " names, ",
                            static_cast<uint64_t>(paths.size()), " files");
  }
  std::vector<ColumnFiles> columns;
  for (size_t i = 0; i < names.size(); ++i) columns.push_back({names[i], {paths[i]}, DType::kInvalid, scale});
  if (columns.empty()) return invalid_argument("a data set needs at least one file");
  return load_columns(
      columns, [](const std::string& path) -> Result<std::string> { return path; }, pool);
}

}  // namespace percale
