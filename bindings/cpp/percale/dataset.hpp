/// Data sets: rows in batches.
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

#include "percale/callback.hpp"
#include "percale/session.hpp"

namespace percale {

/// Yields rows in batches. Thread-compatible. A data set that is made from others keeps references
/// to them.
class Dataset : public Handle<percale_dataset, percale_dataset_release> {
 public:
  using Handle::Handle;

  /// Creates a data set of rows of tensors in memory, which must have the same first dim.
  static Result<Dataset> from_tensors(const Engine& engine, Feeds columns) {
    const detail::SplitFeeds split(columns);
    return made([&](percale_dataset** out) {
      return percale_dataset_from_tensors(engine.get(), split.names.data(), split.tensors.data(), split.names.size(),
                                          out);
    });
  }
  /// Creates a data set of rows in files. `files` are pairs of column name and path. The formats
  /// are IDX (plain or gzip), .npy, .npz, .safetensors, .csv and .tsv. A path "file#name" selects a
  /// tensor, or columns of a CSV file. Several files with the same column name are concatenated. u8
  /// images become f32, multiplied by `scale` (0 keeps them as u8). `csv` has the JSON rules for
  /// CSV files: csv_rules() of another data set, or as in SPEC.md, "CSV files". Paths are used as
  /// given; PERCALE_DATA and the cache are searched only for the data of a SPEC. Files are mapped
  /// into memory if possible. Truncating a file that is in use can end the process, unless the
  /// engine option "map_files" is off.
  static Result<Dataset> from_files(const Engine& engine, std::span<const std::pair<std::string, std::string>> files,
                                    double scale = 0, Text csv = "") {
    std::vector<const char*> names, paths;
    for (const auto& [name, path] : files) {
      names.push_back(name.c_str());
      paths.push_back(path.c_str());
    }
    return made([&](percale_dataset** out) {
      return percale_dataset_from_files(engine.get(), names.data(), paths.data(), names.size(), scale, csv.c_str(),
                                        out);
    });
  }
  /// Returns the rules by which the data set reads its CSV files, as JSON: columns, types,
  /// categories and the markers of missing values. "" if it was not made from CSV files.
  Result<std::string> csv_rules() const {
    return detail::text([&](percale_text** out) { return percale_dataset_csv_rules(get(), out); });
  }
  /// Creates a data set of rows with one i64 each: start, start + step, ... before `stop`.
  static Result<Dataset> range(const Engine& engine, Text name, int64_t start, int64_t stop, int64_t step = 1) {
    return made([&](percale_dataset** out) {
      return percale_dataset_range(engine.get(), name.c_str(), start, stop, step, out);
    });
  }
  /// Creates a data set whose rows `make(row, std::span<void* const> columns)` writes. It returns
  /// false on an error and must not throw. It is kept until this data set, and all that are made
  /// from it, are released. `columns` has the name, the dtype and the dims of one row of each
  /// column.
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
  /// Creates a data set of rows that come one after the other and whose number only their end
  /// tells: from a queue, a network, a file that is read once. `columns` has the name, the dtype
  /// and the dims of one row of each column.
  ///
  /// `read(int64_t epoch, int64_t first_row, int64_t max_rows, std::span<void* const> memory)`
  /// writes at most `max_rows` rows. The elements of column i go to the zeros at `memory[i]`, one
  /// row behind the other. `read` returns the number of rows as a Result<int64_t>; 0 ends the
  /// epoch. `first_row` follows the rows written before, except that an epoch or an evaluation
  /// begins at row 0, a resumed training at its own row, and a call after an error at the first row
  /// of its batch.
  ///
  /// An error, or an exception, ends the call that asked for the rows with its message. An Error
  /// keeps its code, std::system_error becomes UNAVAILABLE, any other exception ABORTED.
  /// OUT_OF_RANGE becomes ABORTED, too, because it stands for the end of an epoch. `read` is kept
  /// until the data set is released.
  ///
  /// A stream cannot be shuffled, and no data set is made from it. Modes `async` and `bounded` do
  /// not train on it.
  template <class Read>
  static Result<Dataset> stream(const Engine& engine, std::span<const FeedType> columns, Read read) {
    struct Source {
      Read read;
      size_t columns;
    };
    const detail::SplitTypes split(columns);
    auto kept = std::make_unique<Source>(Source{std::move(read), columns.size()});
    const percale_stream_callback callback = [](void* user, int64_t epoch, int64_t first_row, int64_t max_rows,
                                                void* const* memory, int64_t* out_rows) {
      Source& source = *static_cast<Source*>(user);
      return detail::called_by_library([&] {
        const Result<int64_t> rows = source.read(epoch, first_row, max_rows, std::span(memory, source.columns));
        if (!rows) return rows.error();
        *out_rows = *rows;
        return Status();
      });
    };
    auto out = made([&](percale_dataset** made) {
      return percale_dataset_stream(engine.get(), split.names.data(), split.dtypes.data(), split.dims.data(),
                                    split.ranks.data(), columns.size(), callback, kept.get(),
                                    [](void* user) { delete static_cast<Source*>(user); }, made);
    });
    if (out) (void)kept.release();
    return out;
  }
  /// Creates a data set with the columns of several data sets side by side. All must have the same
  /// number of rows, and no two columns the same name.
  static Result<Dataset> zip(std::span<const Dataset* const> datasets) {
    return combined(percale_dataset_zip, datasets);
  }
  /// Creates a data set of the rows of several data sets with the same columns, one after the
  /// other.
  static Result<Dataset> concatenate(std::span<const Dataset* const> datasets) {
    return combined(percale_dataset_concatenate, datasets);
  }
  /// Creates a data set with the rows repeated `times` times.
  Result<Dataset> repeat(int64_t times) const {
    return made([&](percale_dataset** out) { return percale_dataset_repeat(get(), times, out); });
  }
  /// Creates a data set with the same rows and new column names, one per column in order.
  Result<Dataset> rename(Names names) const {
    return made(
        [&](percale_dataset** out) { return percale_dataset_rename(get(), names.data(), names.size(), out); });
  }
  /// Creates a data set whose rows have passed through a graph without variables. The inputs of the
  /// graph are columns, by name; its outputs are the new columns.
  Result<Dataset> map(const Graph& graph) const {
    return made([&](percale_dataset** out) { return percale_dataset_map(get(), graph.get(), out); });
  }
  /// Returns another owner of the same data set.
  Dataset share() const { return Dataset(percale_dataset_retain(get())); }

  /// Sets the number of rows per batch and their order: shuffled by `shuffle_seed`, or unchanged
  /// for -1. `drop_remainder` drops a short last batch.
  Status batch(int64_t size, int64_t shuffle_seed = -1, bool drop_remainder = false) {
    return Status(percale_dataset_configure(get(), size, shuffle_seed, drop_remainder ? 1 : 0));
  }
  /// Splits each batch into parts for this number of replicas, and returns one data set per
  /// replica.
  Result<std::vector<Dataset>> distribute(size_t replicas) const {
    std::vector<percale_dataset*> raw(replicas);
    if (percale_status* status = percale_dataset_distribute(get(), replicas, raw.data())) return Status(status);
    std::vector<Dataset> out;
    for (percale_dataset* part : raw) out.emplace_back(part);
    return out;
  }
  /// The number of rows; -1 for a stream. For a part of a distributed data set, the rows that it
  /// yields per epoch.
  int64_t rows() const { return percale_dataset_rows(get()); }
  /// The names of the columns, in the order of next().
  std::vector<std::string> columns() const {
    std::vector<std::string> out;
    for (size_t i = 0; i < percale_dataset_column_count(get()); ++i) {
      out.emplace_back(detail::view(percale_dataset_get_column_name(get(), i)));
    }
    return out;
  }
  /// Returns the name and dtype of each column, and the dims of one row.
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

  /// Returns the next batch, one tensor per column. The result is empty at the end of the epoch;
  /// the call after that starts the next epoch.
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

  /// The batches of one epoch: for (auto& batch : data.epoch()) { if (!batch) ...; (*batch)[0] ...;
  /// }. Iteration ends after an error.
  class Epoch {
   public:
    /// The data set must outlive the epoch.
    explicit Epoch(Dataset& dataset) : dataset_(dataset) {}
    /// The iterator of a range-based for. There is a single pass.
    class Iterator {
     public:
      /// An iterator at the current batch of the epoch.
      explicit Iterator(Epoch& epoch) : epoch_(epoch) {}
      /// The batch, with one tensor per column, or the error.
      Result<std::vector<Tensor>>& operator*() const { return *epoch_.now_; }
      /// Advances to the next batch.
      Iterator& operator++() {
        epoch_.advance();
        return *this;
      }
      /// True if the epoch is over.
      bool operator==(std::default_sentinel_t) const { return !epoch_.now_; }

     private:
      Epoch& epoch_;
    };
    /// Reads the first batch.
    Iterator begin() {
      advance();
      return Iterator(*this);
    }
    /// The end of the epoch.
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
  /// Returns the batches from the current position to the end of the epoch.
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
