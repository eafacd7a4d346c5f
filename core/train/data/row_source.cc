#include "core/train/data/row_source.h"

#include <algorithm>
#include <cstring>

#include "core/train/data/dataset.h"

namespace percale {
namespace {

Result<Tensor> allocate_rows(const RowType& type, size_t count, const std::shared_ptr<MemoryPool>& pool) {
  Shape shape{static_cast<int64_t>(count)};
  for (int64_t d : type.shape) shape.push_back(d);
  return Tensor::allocate(pool, type.dtype, shape);
}

std::vector<RowType> types_of(const Dataset& set) {
  std::vector<RowType> out;
  const auto types = set.types();
  for (size_t i = 0; i < types.size(); ++i) {
    RowType& type = out.emplace_back(RowType{set.columns()[i].name, types[i].dtype, {}});
    for (size_t d = 1; d < types[i].shape.rank(); ++d) type.shape.push_back(types[i].shape[d]);
  }
  return out;
}

class Typed : public RowSource {
 public:
  Typed(std::vector<RowType> types, int64_t rows) : types_(std::move(types)), rows_(rows) {}
  int64_t rows() const override { return rows_; }
  const std::vector<RowType>& types() const override { return types_; }

 protected:
  std::vector<RowType> types_;
  int64_t rows_;
};

class Range final : public Typed {
 public:
  Range(std::string name, int64_t start, int64_t step, int64_t rows)
      : Typed({{std::move(name), DType::kI64, {}}}, rows), start_(start), step_(step) {}
  Result<std::vector<Tensor>> gather(std::span<const int64_t> numbers, const std::shared_ptr<MemoryPool>& pool,
                                     const ParallelFor&) const override {
    PERCALE_ASSIGN_OR_RETURN(Tensor out, allocate_rows(types_[0], numbers.size(), pool));
    int64_t* to = out.mutable_span<int64_t>().data();
    for (int64_t n : numbers) *to++ = start_ + n * step_;
    return std::vector<Tensor>{std::move(out)};
  }

 private:
  int64_t start_, step_;
};

class Generated final : public Typed {
 public:
  Generated(std::vector<RowType> types, int64_t rows, RowFunction function)
      : Typed(std::move(types), rows), function_(std::move(function)) {}
  bool on_callers_thread() const override { return true; }
  Result<std::vector<Tensor>> gather(std::span<const int64_t> numbers, const std::shared_ptr<MemoryPool>& pool,
                                     const ParallelFor&) const override {
    std::vector<Tensor> out;
    std::vector<int64_t> sizes;
    for (const RowType& type : types_) {
      PERCALE_ASSIGN_OR_RETURN(Tensor tensor, allocate_rows(type, numbers.size(), pool));
      sizes.push_back(tensor.bytes() / static_cast<int64_t>(numbers.size()));
      if (tensor.bytes() > 0) std::memset(tensor.data(), 0, static_cast<size_t>(tensor.bytes()));
      out.push_back(std::move(tensor));
    }
    std::vector<void*> columns(out.size());
    for (size_t i = 0; i < numbers.size(); ++i) {
      for (size_t c = 0; c < out.size(); ++c) {
        columns[c] = static_cast<char*>(out[c].data()) + static_cast<int64_t>(i) * sizes[c];
      }
      if (!function_(numbers[i], columns.data())) {
        return Status(Code::kAborted, str_cat("data set: the callback did not return row ", numbers[i]));
      }
    }
    return out;
  }

 private:
  RowFunction function_;
};

bool any_on_callers_thread(const std::vector<std::shared_ptr<const Dataset>>& sets) {
  return std::any_of(sets.begin(), sets.end(), [](const auto& set) { return set->on_callers_thread(); });
}

class Zipped final : public Typed {
 public:
  Zipped(std::vector<RowType> types, std::vector<std::shared_ptr<const Dataset>> sets)
      : Typed(std::move(types), sets[0]->rows()), sets_(std::move(sets)) {}
  bool on_callers_thread() const override { return any_on_callers_thread(sets_); }
  Result<std::vector<Tensor>> gather(std::span<const int64_t> numbers, const std::shared_ptr<MemoryPool>&,
                                     const ParallelFor& parallel) const override {
    std::vector<Tensor> out;
    for (const auto& set : sets_) {
      PERCALE_ASSIGN_OR_RETURN(auto own, set->gather(numbers, parallel));
      for (Tensor& tensor : own) out.push_back(std::move(tensor));
    }
    return out;
  }

 private:
  std::vector<std::shared_ptr<const Dataset>> sets_;
};

class Joined final : public Typed {
 public:
  Joined(std::vector<RowType> types, std::vector<std::shared_ptr<const Dataset>> sets)
      : Typed(std::move(types), 0), sets_(std::move(sets)) {
    for (const auto& set : sets_) {
      first_.push_back(rows_);
      rows_ += set->rows();
    }
  }
  bool on_callers_thread() const override { return any_on_callers_thread(sets_); }
  // Requests all rows of one set at once, then scatters them to their positions.
  Result<std::vector<Tensor>> gather(std::span<const int64_t> numbers, const std::shared_ptr<MemoryPool>& pool,
                                     const ParallelFor& parallel) const override {
    std::vector<std::vector<int64_t>> own(sets_.size());
    std::vector<std::vector<size_t>> places(sets_.size());
    for (size_t i = 0; i < numbers.size(); ++i) {
      const auto set =
          static_cast<size_t>(std::upper_bound(first_.begin(), first_.end(), numbers[i]) - first_.begin() - 1);
      own[set].push_back(numbers[i] - first_[set]);
      places[set].push_back(i);
    }
    std::vector<Tensor> out;
    for (size_t set = 0; set < sets_.size(); ++set) {
      if (own[set].empty()) continue;
      PERCALE_ASSIGN_OR_RETURN(auto part, sets_[set]->gather(own[set], parallel));
      if (own[set].size() == numbers.size()) return part;
      for (size_t c = 0; c < types_.size(); ++c) {
        if (out.size() <= c) {
          PERCALE_ASSIGN_OR_RETURN(out.emplace_back(), allocate_rows(types_[c], numbers.size(), pool));
        }
        const auto bytes = static_cast<size_t>(out[c].bytes()) / numbers.size();
        for (size_t i = 0; bytes > 0 && i < places[set].size(); ++i) {
          std::memcpy(static_cast<char*>(out[c].data()) + places[set][i] * bytes,
                      static_cast<const char*>(part[c].data()) + i * bytes, bytes);
        }
      }
    }
    return out;
  }

 private:
  std::vector<std::shared_ptr<const Dataset>> sets_;
  std::vector<int64_t> first_;  // number of the first row of each set
};

class Renamed final : public Typed {
 public:
  Renamed(std::vector<RowType> types, std::shared_ptr<const Dataset> set)
      : Typed(std::move(types), set->rows()), set_(std::move(set)) {}
  bool on_callers_thread() const override { return set_->on_callers_thread(); }
  Result<std::vector<Tensor>> gather(std::span<const int64_t> numbers, const std::shared_ptr<MemoryPool>&,
                                     const ParallelFor& parallel) const override {
    return set_->gather(numbers, parallel);
  }

 private:
  std::shared_ptr<const Dataset> set_;
};

class Repeated final : public Typed {
 public:
  Repeated(std::shared_ptr<const Dataset> set, int64_t times)
      : Typed(types_of(*set), set->rows() * times), set_(std::move(set)) {}
  bool on_callers_thread() const override { return set_->on_callers_thread(); }
  Result<std::vector<Tensor>> gather(std::span<const int64_t> numbers, const std::shared_ptr<MemoryPool>&,
                                     const ParallelFor& parallel) const override {
    std::vector<int64_t> own(numbers.begin(), numbers.end());
    for (int64_t& n : own) n %= set_->rows();
    return set_->gather(own, parallel);
  }

 private:
  std::shared_ptr<const Dataset> set_;
};

}  // namespace

Result<std::shared_ptr<const RowSource>> range_rows(std::string name, int64_t start, int64_t stop, int64_t step) {
  // Unsigned, because the distance of two signed numbers of 64 bits may need all 64 bits.
  const auto from = static_cast<uint64_t>(start), to = static_cast<uint64_t>(stop), by = static_cast<uint64_t>(step);
  const bool is_empty = step == 0 || (step > 0 ? stop <= start : stop >= start);
  const uint64_t distance = step > 0 ? to - from : from - to, stride = step > 0 ? by : 0 - by;
  const uint64_t rows = is_empty ? 0 : (distance - 1) / stride + 1;
  if (rows < 1 || rows > INT64_MAX) {
    return invalid_argument("data set: the range from ", start, " to ", stop, " by ", step, " has no rows or too many");
  }
  return std::shared_ptr<const RowSource>(
      std::make_shared<Range>(std::move(name), start, step, static_cast<int64_t>(rows)));
}

Status check_host_rows(const std::vector<RowType>& types) {
  for (const RowType& type : types) {
    if (dtype_bits(type.dtype) < 8 || !type.shape.is_static()) {
      return invalid_argument("data set: wanted a dtype of at least 8 bits and a known row shape, but '", type.name,
                              "' is ", type.dtype, " ", type.shape);
    }
  }
  return {};
}

Result<std::shared_ptr<const RowSource>> generated_rows(std::vector<RowType> types, int64_t rows,
                                                        RowFunction function) {
  if (rows < 1) return invalid_argument("data set: ", rows, " rows, wanted at least one");
  PERCALE_RETURN_IF_ERROR(check_host_rows(types));
  return std::shared_ptr<const RowSource>(std::make_shared<Generated>(std::move(types), rows, std::move(function)));
}

Result<std::shared_ptr<const RowSource>> zipped_rows(std::vector<std::shared_ptr<const Dataset>> sets) {
  if (sets.empty()) return invalid_argument("data set: wanted at least one data set to zip");
  std::vector<RowType> types;
  for (const auto& set : sets) {
    if (set->rows() != sets[0]->rows()) {
      return invalid_argument("data set: the data sets to zip differ in their numbers of rows: ", sets[0]->rows(),
                              " and ", set->rows());
    }
    for (RowType& type : types_of(*set)) types.push_back(std::move(type));
  }
  return std::shared_ptr<const RowSource>(std::make_shared<Zipped>(std::move(types), std::move(sets)));
}

Result<std::shared_ptr<const RowSource>> joined_rows(std::vector<std::shared_ptr<const Dataset>> sets) {
  if (sets.empty()) return invalid_argument("data set: wanted at least one data set to join");
  const std::vector<RowType> types = types_of(*sets[0]);
  for (const auto& set : sets) {
    const std::vector<RowType> own = types_of(*set);
    const bool same =
        std::equal(types.begin(), types.end(), own.begin(), own.end(), [](const RowType& a, const RowType& b) {
          return a.name == b.name && a.dtype == b.dtype && a.shape == b.shape;
        });
    if (!same) return invalid_argument("data set: the data sets to join differ in columns, dtypes or row shapes");
  }
  return std::shared_ptr<const RowSource>(std::make_shared<Joined>(types, std::move(sets)));
}

Result<std::shared_ptr<const RowSource>> repeated_rows(std::shared_ptr<const Dataset> set, int64_t times) {
  if (times < 1 || times > INT64_MAX / set->rows())
    return invalid_argument("data set: the number of repetitions is out of range: ", times);
  return std::shared_ptr<const RowSource>(std::make_shared<Repeated>(std::move(set), times));
}

Result<std::shared_ptr<const RowSource>> renamed_rows(std::shared_ptr<const Dataset> set,
                                                      std::vector<std::string> names) {
  std::vector<RowType> types = types_of(*set);
  if (names.size() != types.size()) {
    return invalid_argument("data set: ", uint64_t{names.size()}, " names, but ", uint64_t{types.size()}, " columns");
  }
  for (size_t i = 0; i < types.size(); ++i) types[i].name = std::move(names[i]);
  return std::shared_ptr<const RowSource>(std::make_shared<Renamed>(std::move(types), std::move(set)));
}

}  // namespace percale
