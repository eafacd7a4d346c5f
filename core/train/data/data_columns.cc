#include "core/train/data/data_columns.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "core/train/data/csv_columns.h"
#include "core/train/data/data_files.h"
#include "core/train/data/row_source.h"

namespace percale {
namespace {

struct Part {
  std::string path, selection;  // the two parts of "path#selection"
};

Result<Part> split(const std::string& text, const FindFile& find) {
  const size_t mark = text.rfind('#');
  Part out;
  if (mark != std::string::npos) out.selection = text.substr(mark + 1);
  PERCALE_ASSIGN_OR_RETURN(out.path, find(text.substr(0, mark)));
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

// Selected columns of a CSV file. `alone`: a single one, whose rows are scalars.
struct Selection {
  std::vector<size_t> columns;
  bool alone = false;
};

Result<Selection> select_named(const CsvFile& file, std::vector<std::string> names, bool alone) {
  Selection out;
  out.alone = alone;
  for (const std::string& name : names) {
    PERCALE_ASSIGN_OR_RETURN(out.columns.emplace_back(), file.find(name));
  }
  return out;
}

// Loads the columns of one data set. Column "x" of CSV files comes last, because it takes the
// columns that remain.
class Loader {
 public:
  Loader(const std::vector<ColumnFiles>& columns, const CsvRules& rules, const FindFile& find,
         const std::shared_ptr<MemoryPool>& pool)
      : columns_(columns), rules_(rules), find_(find), pool_(pool) {}

  Result<std::shared_ptr<Dataset>> load() {
    for (const ColumnFiles& column : columns_) PERCALE_RETURN_IF_ERROR(find_parts(column));
    std::vector<size_t> order(columns_.size());
    std::iota(order.begin(), order.end(), size_t{0});
    const auto takes_the_rest = [&](size_t c) { return !files_.empty() && columns_[c].name == "x"; };
    std::stable_partition(order.begin(), order.end(), [&](size_t c) { return !takes_the_rest(c); });
    std::vector<std::shared_ptr<const Dataset>> sets(columns_.size());
    for (size_t i : order) {
      PERCALE_ASSIGN_OR_RETURN(sets[i], load_column(i));
    }
    PERCALE_ASSIGN_OR_RETURN(auto out, side_by_side(std::move(sets)));
    if (!files_.empty()) {
      learnt_.dialect.separator = rules_.dialect.separator;
      learnt_.dialect.header = files_.begin()->second->has_header();
      out->set_csv_rules(std::make_shared<const CsvRules>(std::move(learnt_)));
    }
    return out;
  }

 private:
  Status find_parts(const ColumnFiles& column) {
    auto& own = parts_.emplace_back();
    for (const std::string& path : column.paths) {
      PERCALE_ASSIGN_OR_RETURN(Part part, split(path, find_));
      if (is_csv_path(part.path)) {
        ++users_[part.path];
        auto& file = files_[part.path];
        if (file == nullptr) {
          PERCALE_ASSIGN_OR_RETURN(file, CsvFile::open(part.path, rules_.dialect, pool_));
        }
      }
      own.push_back(std::move(part));
    }
    if (own.empty()) return invalid_argument("data set: '", column.name, "' has no file");
    return {};
  }

  Result<Selection> select(const ColumnFiles& column, const Part& part) {
    const CsvFile& file = *files_[part.path];
    if (!part.selection.empty()) {
      std::vector<std::string> names = csv_line(part.selection);
      const bool list = names.size() > 1;
      if (list && names.back().empty()) names.pop_back();
      return select_named(file, std::move(names), !list);
    }
    if (const auto known = rules_.inputs.find(column.name); known != rules_.inputs.end()) {
      std::vector<std::string> names;
      for (const CsvColumn& c : known->second.columns) names.push_back(c.name);
      return select_named(file, std::move(names), known->second.alone);
    }
    if (const auto own = file.find(column.name); own.ok()) return Selection{{*own}, true};
    const bool shared = users_[part.path] > 1;
    const std::vector<size_t>& claimed = claimed_[part.path];
    Selection out;
    for (size_t i = 0; i < file.names().size(); ++i) {
      if (!shared || std::find(claimed.begin(), claimed.end(), i) == claimed.end()) out.columns.push_back(i);
    }
    if (shared && column.name != "x") out.columns = {file.names().size() - 1};
    if (out.columns.empty()) return invalid_argument("'", part.path, "' has no columns left for '", column.name, "'");
    out.alone = out.columns.size() == 1;
    return out;
  }

  Result<std::shared_ptr<const Dataset>> load_column(size_t i) {
    const ColumnFiles& column = columns_[i];
    PERCALE_ASSIGN_OR_RETURN(auto csv, load_csv(column, parts_[i]));
    std::vector<std::shared_ptr<const Dataset>> own;
    for (const Part& part : parts_[i]) {
      if (!is_csv_path(part.path)) {
        PERCALE_ASSIGN_OR_RETURN(own.emplace_back(), tensor_set(column, part, pool_));
      } else {
        PERCALE_ASSIGN_OR_RETURN(own.emplace_back(), Dataset::from_rows(std::move(csv.front()), pool_));
        csv.erase(csv.begin());
      }
    }
    if (own.size() == 1) return own[0];
    PERCALE_ASSIGN_OR_RETURN(auto rows, joined_rows(std::move(own)));
    PERCALE_ASSIGN_OR_RETURN(auto joined, Dataset::from_rows(std::move(rows), pool_));
    return std::shared_ptr<const Dataset>(std::move(joined));
  }

  // Returns the rows of each CSV file among the parts of a column.
  Result<std::vector<std::shared_ptr<const RowSource>>> load_csv(const ColumnFiles& column,
                                                                 const std::vector<Part>& parts) {
    std::vector<std::shared_ptr<const RowSource>> out;
    std::vector<CsvPart> chosen;
    bool alone = false;
    for (const Part& part : parts) {
      if (!is_csv_path(part.path)) continue;
      PERCALE_ASSIGN_OR_RETURN(Selection selection, select(column, part));
      auto& claimed = claimed_[part.path];
      claimed.insert(claimed.end(), selection.columns.begin(), selection.columns.end());
      alone = selection.alone;
      chosen.push_back({files_[part.path], std::move(selection.columns)});
      if (chosen.back().columns.size() != chosen.front().columns.size()) {
        return invalid_argument("data set: '", column.name, "': '", part.path, "' gives ",
                                static_cast<uint64_t>(chosen.back().columns.size()),
                                " columns, but the files before it give ",
                                static_cast<uint64_t>(chosen.front().columns.size()));
      }
    }
    if (chosen.empty()) return out;
    PERCALE_ASSIGN_OR_RETURN(CsvInput input, learn_columns(chosen, rules_, column.name, alone));
    const auto learnt = std::make_shared<const CsvInput>(std::move(input));
    learnt_.inputs[column.name] = *learnt;
    const DType dtype = column.dtype == DType::kInvalid ? default_dtype(*learnt) : column.dtype;
    for (CsvPart& part : chosen) {
      PERCALE_ASSIGN_OR_RETURN(out.emplace_back(), csv_rows(std::move(part), column.name, learnt, dtype));
    }
    return out;
  }

  Result<std::shared_ptr<Dataset>> side_by_side(std::vector<std::shared_ptr<const Dataset>> sets) const {
    if (std::all_of(sets.begin(), sets.end(), [](const auto& s) { return s->columns()[0].data.defined(); })) {
      std::vector<Column> all;
      for (const auto& set : sets) all.push_back(set->columns()[0]);
      return Dataset::create(std::move(all), pool_);
    }
    PERCALE_ASSIGN_OR_RETURN(auto rows, zipped_rows(std::move(sets)));
    return Dataset::from_rows(std::move(rows), pool_);
  }

  const std::vector<ColumnFiles>& columns_;
  const CsvRules& rules_;
  const FindFile& find_;
  const std::shared_ptr<MemoryPool>& pool_;
  std::vector<std::vector<Part>> parts_;  // by column
  std::map<std::string, std::shared_ptr<const CsvFile>> files_;
  // number of columns of the set that use a CSV file
  std::map<std::string, size_t> users_;
  // columns of CSV files that are already taken
  std::map<std::string, std::vector<size_t>> claimed_;
  CsvRules learnt_;
};

}  // namespace

Result<std::shared_ptr<Dataset>> load_columns(const std::vector<ColumnFiles>& columns, const CsvRules& rules,
                                              const FindFile& find, const std::shared_ptr<MemoryPool>& pool) {
  return Loader(columns, rules, find, pool).load();
}

Result<std::shared_ptr<Dataset>> Dataset::from_files(const std::vector<std::string>& names,
                                                     const std::vector<std::string>& paths, double scale,
                                                     const CsvRules& rules, std::shared_ptr<MemoryPool> pool) {
  if (names.size() != paths.size()) {
    return invalid_argument("data set: ", static_cast<uint64_t>(names.size()), " names, but ",
                            static_cast<uint64_t>(paths.size()), " files");
  }
  std::vector<ColumnFiles> columns;
  for (size_t i = 0; i < names.size(); ++i) {
    const auto same = std::find_if(columns.begin(), columns.end(), [&](const auto& c) { return c.name == names[i]; });
    if (same == columns.end()) {
      columns.push_back({names[i], {paths[i]}, DType::kInvalid, scale});
    } else {
      same->paths.push_back(paths[i]);
    }
  }
  if (columns.empty()) return invalid_argument("a data set needs at least one file");
  return load_columns(
      columns, rules, [](const std::string& path) -> Result<std::string> { return path; }, pool);
}

}  // namespace percale
