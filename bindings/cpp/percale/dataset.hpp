/// Examples in batches.
#ifndef PERCALE_CPP_DATASET_HPP_
#define PERCALE_CPP_DATASET_HPP_

#include <cstdint>
#include <iterator>
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
  Dataset() = default;
  /// Takes over a reference of the C ABI; `columns` are the names in their order.
  Dataset(percale_dataset* adopted, std::vector<std::string> columns) : Handle(adopted), columns_(std::move(columns)) {}

  /// Rows of tensors that stand in memory: all have the same first dim.
  static Result<Dataset> from_tensors(const Engine& engine, Feeds columns) {
    std::vector<const char*> names;
    std::vector<percale_tensor*> tensors;
    for (const Feed& column : columns.span()) {
      names.push_back(column.name.c_str());
      tensors.push_back(column.tensor.get());
    }
    return made({names.begin(), names.end()}, [&](percale_dataset** out) {
      return percale_dataset_from_tensors(engine.get(), names.data(), tensors.data(), names.size(), out);
    });
  }
  /// Rows of files, (name, path) each: IDX (plain or gz), .npy, .npz, .safetensors, .csv; "file#name" says which tensor or columns.
  /// u8 images become f32, multiplied by `scale` (0: kept as they are).
  static Result<Dataset> from_files(const Engine& engine, std::span<const std::pair<std::string, std::string>> files,
                                    double scale = 0) {
    std::vector<const char*> names, paths;
    for (const auto& [name, path] : files) {
      names.push_back(name.c_str());
      paths.push_back(path.c_str());
    }
    return made({names.begin(), names.end()}, [&](percale_dataset** out) {
      return percale_dataset_from_files(engine.get(), names.data(), paths.data(), names.size(), scale, out);
    });
  }
  /// Rows of one i64 each: start, start + step, ... before `stop`.
  static Result<Dataset> range(const Engine& engine, Text name, int64_t start, int64_t stop, int64_t step = 1) {
    return made({name.c_str()}, [&](percale_dataset** out) {
      return percale_dataset_range(engine.get(), name.c_str(), start, stop, step, out);
    });
  }
  /// Rows that `make(row, std::span<void* const> columns)` writes; it gives false for an error, does not throw, and outlives
  /// the data set and all that is made of it. `columns`: name, dtype and dims of one row.
  template <class Make>
  static Result<Dataset> generate(const Engine& engine, std::span<const FeedType> columns, int64_t rows, Make& make) {
    const detail::SplitTypes split(columns);
    const percale_row_callback callback = [](void* user, int64_t row, void* const* memory) -> int32_t {
      return (*static_cast<Make*>(user))(row, memory) ? 0 : 1;
    };
    return made({split.names.begin(), split.names.end()}, [&](percale_dataset** out) {
      return percale_dataset_generator(engine.get(), split.names.data(), split.dtypes.data(), split.dims.data(),
                                       split.ranks.data(), columns.size(), rows, callback, &make, out);
    });
  }
  /// Columns side by side: as many rows in all, no two columns of one name.
  static Result<Dataset> zip(std::span<const Dataset* const> datasets) {
    std::vector<std::string> names;
    for (const Dataset* dataset : datasets) {
      names.insert(names.end(), dataset->columns_.begin(), dataset->columns_.end());
    }
    return combined(percale_dataset_zip, datasets, std::move(names));
  }
  /// Rows one after the other, of the same columns.
  static Result<Dataset> concatenate(std::span<const Dataset* const> datasets) {
    return combined(percale_dataset_concatenate, datasets,
                    datasets.empty() ? std::vector<std::string>() : datasets.front()->columns_);
  }
  Result<Dataset> repeat(int64_t times) const {
    return made(columns_, [&](percale_dataset** out) { return percale_dataset_repeat(get(), times, out); });
  }
  /// Rows that went through a graph without variables: its inputs are columns by name, its outputs the new columns.
  Result<Dataset> map(const Graph& graph) const {
    return made(graph.outputs(), [&](percale_dataset** out) { return percale_dataset_map(get(), graph.get(), out); });
  }
  Dataset share() const { return Dataset(percale_dataset_retain(get()), columns_); }

  /// Rows of a batch; their order by `shuffle_seed` (-1: of the file); whether a short last batch is dropped.
  Status batch(int64_t size, int64_t shuffle_seed = -1, bool drop_remainder = false) {
    return Status(percale_dataset_configure(get(), size, shuffle_seed, drop_remainder ? 1 : 0));
  }
  /// The parts of each batch for so many replicas.
  Result<std::vector<Dataset>> distribute(size_t replicas) const {
    std::vector<percale_dataset*> raw(replicas);
    if (percale_status* status = percale_dataset_distribute(get(), replicas, raw.data())) return Status(status);
    std::vector<Dataset> out;
    for (percale_dataset* part : raw) out.emplace_back(part, columns_);
    return out;
  }
  int64_t rows() const { return percale_dataset_rows(get()); }
  const std::vector<std::string>& columns() const { return columns_; }

  /// The next batch, a tensor per column; nothing at the end of the epoch, after which the next one begins.
  Result<std::optional<std::vector<Tensor>>> next() {
    std::vector<percale_tensor*> raw(columns_.size());
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
    explicit Epoch(Dataset& dataset) : dataset_(dataset) {}
    class Iterator {
     public:
      explicit Iterator(Epoch& epoch) : epoch_(epoch) {}
      Result<std::vector<Tensor>>& operator*() const { return *epoch_.now_; }
      Iterator& operator++() {
        epoch_.advance();
        return *this;
      }
      bool operator==(std::default_sentinel_t) const { return !epoch_.now_; }

     private:
      Epoch& epoch_;
    };
    Iterator begin() {
      advance();
      return Iterator(*this);
    }
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
  Epoch epoch() { return Epoch(*this); }

 private:
  template <class Function>
  static Result<Dataset> made(std::vector<std::string> columns, Function&& function) {
    percale_dataset* out = nullptr;
    if (percale_status* status = function(&out)) return Status(status);
    return Dataset(out, std::move(columns));
  }
  template <class Function>
  static Result<Dataset> combined(Function function, std::span<const Dataset* const> datasets,
                                  std::vector<std::string> columns) {
    std::vector<percale_dataset*> raw;
    for (const Dataset* dataset : datasets) raw.push_back(dataset->get());
    return made(std::move(columns), [&](percale_dataset** out) { return function(raw.data(), raw.size(), out); });
  }

  std::vector<std::string> columns_;
};

}  // namespace percale

#endif  // PERCALE_CPP_DATASET_HPP_
