/// Examples in batches.
#ifndef PERCALE_CPP_DATASET_HPP_
#define PERCALE_CPP_DATASET_HPP_

#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "percale/session.hpp"

namespace percale {

/// thread-compatible. What is made of data sets keeps them.
class Dataset : public Handle<percale_dataset, percale_dataset_release> {
 public:
  using Handle::Handle;

  /// Rows of tensors that stand in memory: all have the same first dim.
  static Result<Dataset> from_tensors(const Engine& engine, Feeds columns) {
    std::vector<const char*> names;
    std::vector<percale_tensor*> tensors;
    for (const Feed& column : columns.span()) {
      names.push_back(column.name.c_str());
      tensors.push_back(column.tensor.get());
    }
    return made([&](percale_dataset** out) {
      return percale_dataset_from_tensors(engine.get(), names.data(), tensors.data(), names.size(), out);
    });
  }
  /// Rows of files, (name, path) each: IDX (plain or gz), .npy, .npz, .safetensors, .csv, .tsv; "file#name" says which tensor or
  /// columns. Rows of files of one name follow each other. u8 images become f32, multiplied by `scale` (0: kept as they are). `csv`:
  /// JSON with the rules for CSV files (SPEC.md, "CSV files"), or the csv_rules() of another set. Paths are taken as they are:
  /// PERCALE_DATA and the cache are searched for the data of a SPEC alone.
  static Result<Dataset> from_files(const Engine& engine, std::span<const std::pair<std::string, std::string>> files,
                                    double scale = 0, Text csv = "") {
    std::vector<const char*> names, paths;
    for (const auto& [name, path] : files) {
      names.push_back(name.c_str());
      paths.push_back(path.c_str());
    }
    return made([&](percale_dataset** out) {
      return percale_dataset_from_files(engine.get(), names.data(), paths.data(), names.size(), scale, csv.c_str(), out);
    });
  }
  /// How the set reads its CSV files, as JSON: columns, types, categories, what stands for missing values. "" for a set of other files.
  Result<std::string> csv_rules() const {
    return detail::text([&](percale_text** out) { return percale_dataset_csv_rules(get(), out); });
  }
  /// Rows of one i64 each: start, start + step, ... before `stop`.
  static Result<Dataset> range(const Engine& engine, Text name, int64_t start, int64_t stop, int64_t step = 1) {
    return made([&](percale_dataset** out) {
      return percale_dataset_range(engine.get(), name.c_str(), start, stop, step, out);
    });
  }
  /// Rows that `make(row, std::span<void* const> columns)` writes; it gives false for an error and does not throw. It is kept until
  /// the data set, and all that is made of it, are gone. `columns`: name, dtype and dims of one row.
  template <class Make>
  static Result<Dataset> generate(const Engine& engine, std::span<const FeedType> columns, int64_t rows, Make make) {
    const detail::SplitTypes split(columns);
    auto kept = std::make_unique<Make>(std::move(make));
    const percale_row_callback callback = [](void* user, int64_t row, void* const* memory) -> int32_t {
      return (*static_cast<Make*>(user))(row, memory) ? 0 : 1;
    };
    auto out = made([&](percale_dataset** made) {
      return percale_dataset_generator_owned(engine.get(), split.names.data(), split.dtypes.data(), split.dims.data(),
                                             split.ranks.data(), columns.size(), rows, callback, kept.get(),
                                             [](void* user) { delete static_cast<Make*>(user); }, made);
    });
    if (out) (void)kept.release();
    return out;
  }
  /// Columns side by side: as many rows in all, no two columns of one name.
  static Result<Dataset> zip(std::span<const Dataset* const> datasets) {
    return combined(percale_dataset_zip, datasets);
  }
  /// Rows one after the other, of the same columns.
  static Result<Dataset> concatenate(std::span<const Dataset* const> datasets) {
    return combined(percale_dataset_concatenate, datasets);
  }
  /// The rows so many times over.
  Result<Dataset> repeat(int64_t times) const {
    return made([&](percale_dataset** out) { return percale_dataset_repeat(get(), times, out); });
  }
  /// The same rows with other names of their columns, one for each, in order.
  Result<Dataset> rename(Names names) const {
    return made(
        [&](percale_dataset** out) { return percale_dataset_rename(get(), names.data(), names.size(), out); });
  }
  /// Rows that went through a graph without variables: its inputs are columns by name, its outputs the new columns.
  Result<Dataset> map(const Graph& graph) const {
    return made([&](percale_dataset** out) { return percale_dataset_map(get(), graph.get(), out); });
  }
  /// One more owner of the same data set.
  Dataset share() const { return Dataset(percale_dataset_retain(get())); }

  /// Rows of a batch; their order by `shuffle_seed` (-1: of the file); whether a short last batch is dropped.
  Status batch(int64_t size, int64_t shuffle_seed = -1, bool drop_remainder = false) {
    return Status(percale_dataset_configure(get(), size, shuffle_seed, drop_remainder ? 1 : 0));
  }
  /// The parts of each batch for so many replicas.
  Result<std::vector<Dataset>> distribute(size_t replicas) const {
    std::vector<percale_dataset*> raw(replicas);
    if (percale_status* status = percale_dataset_distribute(get(), replicas, raw.data())) return Status(status);
    std::vector<Dataset> out;
    for (percale_dataset* part : raw) out.emplace_back(part);
    return out;
  }
  /// Rows of the data set; of a replica's part those that an epoch gives it.
  int64_t rows() const { return percale_dataset_rows(get()); }
  /// The columns' names, in the order of next().
  std::vector<std::string> columns() const {
    std::vector<std::string> out;
    for (size_t i = 0; i < percale_dataset_column_count(get()); ++i) {
      out.emplace_back(detail::view(percale_dataset_get_column_name(get(), i)));
    }
    return out;
  }
  /// Their names, dtypes, and the dims of one row of each.
  Result<std::vector<FeedType>> column_types() const {
    std::vector<FeedType> out;
    for (std::string& name : columns()) {
      auto type = detail::type_of(
          [&](percale_dtype* dtype, int64_t* dims, size_t* rank) {
            return percale_dataset_column_type(get(), out.size(), dtype, dims, rank);
          },
          std::move(name));
      if (!type) return std::move(type).error();
      out.push_back(std::move(*type));
    }
    return out;
  }

  /// The next batch, a tensor per column; nothing at the end of the epoch, after which the next one begins.
  Result<std::optional<std::vector<Tensor>>> next() {
    std::vector<percale_tensor*> raw(percale_dataset_column_count(get()));
    if (percale_status* failed = percale_dataset_next(get(), raw.data())) {
      Status status(failed);
      if (status.code() == Code::kOutOfRange) return std::optional<std::vector<Tensor>>();
      return status;
    }
    std::optional<std::vector<Tensor>> out(std::in_place);
    for (percale_tensor* tensor : raw) out->emplace_back(tensor);
    return out;
  }

  /// The batches of one epoch: for (auto& batch : data.epoch()) { if (!batch) ...; (*batch)[0] ...; }. An error is the last one.
  class Epoch {
   public:
    /// Of a data set that outlives it.
    explicit Epoch(Dataset& dataset) : dataset_(dataset) {}
    /// What a range-based for uses; there is one pass.
    class Iterator {
     public:
      /// At the batch where the epoch stands.
      explicit Iterator(Epoch& epoch) : epoch_(epoch) {}
      /// The batch, a tensor per column, or the error.
      Result<std::vector<Tensor>>& operator*() const { return *epoch_.now_; }
      /// The next batch.
      Iterator& operator++() {
        epoch_.advance();
        return *this;
      }
      /// Whether the epoch is over.
      bool operator==(std::default_sentinel_t) const { return !epoch_.now_; }

     private:
      Epoch& epoch_;
    };
    /// Makes the first batch.
    Iterator begin() {
      advance();
      return Iterator(*this);
    }
    /// Behind the last batch.
    std::default_sentinel_t end() const { return {}; }

   private:
    void advance() {
      const bool failed = now_ && !now_->has_value();
      now_.reset();
      if (failed) return;
      auto batch = dataset_.next();
      if (!batch) {
        now_.emplace(std::move(batch).error());
      } else if (*batch) {
        now_.emplace(std::move(**batch));
      }
    }
    Dataset& dataset_;
    std::optional<Result<std::vector<Tensor>>> now_;
  };
  /// The batches from where the data set stands to the end of the epoch.
  Epoch epoch() { return Epoch(*this); }

 private:
  template <class Function>
  static Result<Dataset> made(Function&& function) {
    return detail::made<Dataset, percale_dataset>(function);
  }
  template <class Function>
  static Result<Dataset> combined(Function function, std::span<const Dataset* const> datasets) {
    std::vector<percale_dataset*> raw;
    for (const Dataset* dataset : datasets) raw.push_back(dataset->get());
    return made([&](percale_dataset** out) { return function(raw.data(), raw.size(), out); });
  }
};

}  // namespace percale

#endif  // PERCALE_CPP_DATASET_HPP_
