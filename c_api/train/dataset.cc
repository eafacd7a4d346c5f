#include "c_api/train/dataset.h"

#include "core/train/data/csv_rules.h"
#include "core/train/data/row_source.h"
#include "core/train/data/row_stream.h"

using namespace percale;
using namespace percale::c_api;

namespace {

Status give(percale_engine* engine, Result<std::shared_ptr<const RowSource>> rows, percale_dataset** out_dataset) {
  PERCALE_RETURN_IF_ERROR(rows.status());
  PERCALE_ASSIGN_OR_RETURN(auto dataset, Dataset::from_rows(std::move(rows).value(), engine->engine->memory()));
  *out_dataset = new percale_dataset(engine, std::move(dataset));
  return {};
}

Result<std::vector<RowType>> row_types(const char* function, const char* const* names, const percale_dtype* dtypes,
                                       const int64_t* const* dims, const size_t* ranks, size_t count) {
  PERCALE_ASSIGN_OR_RETURN(auto all, names_of(function, "names", names, count));
  std::vector<RowType> types;
  for (size_t i = 0; i < count; ++i) {
    PERCALE_ASSIGN_OR_RETURN(const DType dtype, dtype_of_number(function, dtypes[i]));
    PERCALE_ASSIGN_OR_RETURN(const Shape shape, shape_of(function, dims[i], ranks[i]));
    types.push_back({std::move(all[i]), dtype, shape});
  }
  return types;
}

Status generate(percale_engine* engine, std::vector<RowType> types, int64_t rows, percale_row_callback callback,
                void* user, percale_destroy destroy, percale_dataset** out_dataset) {
  // Ends with the last data set that can still call back.
  const auto owned = std::make_shared<HostUser>();
  owned->user = user;
  PERCALE_RETURN_IF_ERROR(give(engine,
                               generated_rows(std::move(types), rows,
                                              [callback, owned](int64_t row, void* const* columns) {
                                                return callback(owned->user, row, columns) == 0;
                                              }),
                               out_dataset));
  owned->destroy = destroy;  // what fails leaves `user` to the caller
  return {};
}

Status stream(percale_engine* engine, std::vector<RowType> types, percale_stream_callback callback, void* user,
              percale_destroy destroy, percale_dataset** out_dataset) {
  const auto owned = std::make_shared<HostUser>();
  owned->user = user;
  const auto read = [callback, owned](int64_t epoch, int64_t first, int64_t most,
                                      void* const* columns) -> Result<int64_t> {
    int64_t rows = 0;
    PERCALE_RETURN_IF_ERROR(from_c(callback(owned->user, epoch, first, most, columns, &rows)));
    return rows;
  };
  PERCALE_ASSIGN_OR_RETURN(auto rows, RowStream::create(std::move(types), read));
  PERCALE_ASSIGN_OR_RETURN(auto dataset, Dataset::from_stream(std::move(rows), engine->engine->memory()));
  *out_dataset = new percale_dataset(engine, std::move(dataset));
  owned->destroy = destroy;
  return {};
}

std::vector<std::shared_ptr<const Dataset>> sets_of(percale_dataset* const* datasets, size_t count) {
  std::vector<std::shared_ptr<const Dataset>> out;
  for (size_t i = 0; i < count; ++i) out.push_back(datasets[i]->dataset);
  return out;
}

// Data sets that are made of others ask for rows by number. A replica's part does not cut these,
// and a stream has none.
Status check_whole(const char* function, percale_dataset* const* datasets, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    if (datasets[i]->dataset->is_stream()) {
      return failed_precondition(function,
                                 ": the rows of the data set come in a stream, which has none by their number");
    }
    if (!datasets[i]->dataset->is_part()) continue;
    return failed_precondition(
        function, ": the data set is a replica's part of another one: distribute what is made of that one");
  }
  return {};
}

constexpr size_t kBatchesAhead = 2, kMostReplicas = 65536;

// The next batch of a replica's part. Each part has a thread that makes batches while the replica
// computes, unless the engine has one thread alone, or those of the host, or a host's function
// makes the rows.
Result<std::vector<Tensor>> next_of_part(percale_dataset& set) {
  Dataset& part = *set.dataset;
  PERCALE_RETURN_IF_ERROR(part.check_unused("it gives no next batch"));
  const DatasetPosition at = part.position();
  ThreadPool& threads = set.engine->engine->threads();
  if (!threads.may_start_threads() || part.on_callers_thread() || at.batch >= part.batches())
    return part.next(threads.parallel());
  if (set.ahead == nullptr) {
    PERCALE_ASSIGN_OR_RETURN(set.ahead,
                             Prefetcher::create(set.dataset, at, INT64_MAX, kBatchesAhead, threads.parallel()));
  }
  auto batch = set.ahead->next();
  if (!batch.ok()) {
    set.ahead = nullptr;  // it goes on from here when it is asked again
    return batch;
  }
  PERCALE_RETURN_IF_ERROR(part.seek({at.epoch, at.batch + 1}));
  return batch;
}

}  // namespace

percale_status* percale_dataset_from_tensors(percale_engine* engine, const char* const* names,
                                             percale_tensor* const* tensors, size_t count,
                                             percale_dataset** out_dataset) {
  clear(out_dataset);
  return guarded(__func__, {NEEDS(engine), NEEDS(out_dataset)}, [&, function = __func__]() -> Status {
    PERCALE_ASSIGN_OR_RETURN(auto all, names_of(function, "names", names, count));
    PERCALE_RETURN_IF_ERROR(check_array(function, "tensors", tensors, count));
    std::vector<Column> columns;
    for (size_t i = 0; i < count; ++i) {
      columns.push_back({.name = std::move(all[i]), .data = tensors[i]->tensor, .dtype = DType::kInvalid, .scale = 1});
    }
    PERCALE_ASSIGN_OR_RETURN(auto dataset, Dataset::create(std::move(columns), engine->engine->memory()));
    *out_dataset = new percale_dataset(engine, std::move(dataset));
    return {};
  });
}

percale_status* percale_dataset_from_files(percale_engine* engine, const char* const* names, const char* const* paths,
                                           size_t count, double scale, const char* csv, percale_dataset** out_dataset) {
  clear(out_dataset);
  return guarded(__func__, {NEEDS(engine), NEEDS(out_dataset)}, [&, function = __func__]() -> Status {
    PERCALE_ASSIGN_OR_RETURN(const auto all_names, names_of(function, "names", names, count));
    PERCALE_ASSIGN_OR_RETURN(const auto all_paths, names_of(function, "paths", paths, count));
    CsvRules rules;
    if (csv != nullptr && *csv != '\0') {
      PERCALE_ASSIGN_OR_RETURN(rules, parse_csv_rules(csv));
    }
    PERCALE_ASSIGN_OR_RETURN(auto dataset,
                             Dataset::from_files(all_names, all_paths, scale, rules, engine->engine->memory()));
    *out_dataset = new percale_dataset(engine, std::move(dataset));
    return {};
  });
}

percale_status* percale_dataset_csv_rules(const percale_dataset* dataset, percale_text** out_text) {
  clear(out_text);
  return guarded(__func__, {NEEDS(dataset), NEEDS(out_text)}, [&]() -> Status {
    const auto& rules = dataset->dataset->csv_rules();
    *out_text = make_text(rules == nullptr ? std::string() : csv_rules_json(*rules));
    return {};
  });
}

percale_status* percale_dataset_range(percale_engine* engine, const char* name, int64_t start, int64_t stop,
                                      int64_t step, percale_dataset** out_dataset) {
  clear(out_dataset);
  return guarded(__func__, {NEEDS(engine), NEEDS(name), NEEDS(out_dataset)},
                 [&] { return give(engine, range_rows(name, start, stop, step), out_dataset); });
}

percale_status* percale_dataset_generator(percale_engine* engine, const char* const* names, const percale_dtype* dtypes,
                                          const int64_t* const* dims, const size_t* ranks, size_t count, int64_t rows,
                                          percale_row_callback callback, void* user, percale_dataset** out_dataset) {
  return percale_dataset_generator_owned(engine, names, dtypes, dims, ranks, count, rows, callback, user, nullptr,
                                         out_dataset);
}

percale_status* percale_dataset_generator_owned(percale_engine* engine, const char* const* names,
                                                const percale_dtype* dtypes, const int64_t* const* dims,
                                                const size_t* ranks, size_t count, int64_t rows,
                                                percale_row_callback callback, void* user, percale_destroy destroy,
                                                percale_dataset** out_dataset) {
  clear(out_dataset);
  return guarded(__func__,
                 {NEEDS(engine), NEEDS(dtypes), NEEDS(dims), NEEDS(ranks), NEEDS(callback), NEEDS(out_dataset)},
                 [&, function = __func__]() -> Status {
                   PERCALE_ASSIGN_OR_RETURN(auto types, row_types(function, names, dtypes, dims, ranks, count));
                   return generate(engine, std::move(types), rows, callback, user, destroy, out_dataset);
                 });
}

percale_status* percale_dataset_stream(percale_engine* engine, const char* const* names, const percale_dtype* dtypes,
                                       const int64_t* const* dims, const size_t* ranks, size_t count,
                                       percale_stream_callback callback, void* user, percale_destroy destroy,
                                       percale_dataset** out_dataset) {
  clear(out_dataset);
  return guarded(__func__,
                 {NEEDS(engine), NEEDS(dtypes), NEEDS(dims), NEEDS(ranks), NEEDS(callback), NEEDS(out_dataset)},
                 [&, function = __func__]() -> Status {
                   PERCALE_ASSIGN_OR_RETURN(auto types, row_types(function, names, dtypes, dims, ranks, count));
                   return stream(engine, std::move(types), callback, user, destroy, out_dataset);
                 });
}

percale_status* percale_dataset_zip(percale_dataset* const* datasets, size_t count, percale_dataset** out_dataset) {
  clear(out_dataset);
  return guarded(__func__, {NEEDS(datasets), NEEDS(out_dataset)}, [&, function = __func__]() -> Status {
    PERCALE_RETURN_IF_ERROR(check_array(function, "datasets", datasets, count));
    if (count == 0) return invalid_argument(function, ": no data sets");
    PERCALE_RETURN_IF_ERROR(check_whole(function, datasets, count));
    return give(datasets[0]->engine.get(), zipped_rows(sets_of(datasets, count)), out_dataset);
  });
}

percale_status* percale_dataset_concatenate(percale_dataset* const* datasets, size_t count,
                                            percale_dataset** out_dataset) {
  clear(out_dataset);
  return guarded(__func__, {NEEDS(datasets), NEEDS(out_dataset)}, [&, function = __func__]() -> Status {
    PERCALE_RETURN_IF_ERROR(check_array(function, "datasets", datasets, count));
    if (count == 0) return invalid_argument(function, ": no data sets");
    PERCALE_RETURN_IF_ERROR(check_whole(function, datasets, count));
    return give(datasets[0]->engine.get(), joined_rows(sets_of(datasets, count)), out_dataset);
  });
}

percale_status* percale_dataset_repeat(percale_dataset* dataset, int64_t times, percale_dataset** out_dataset) {
  clear(out_dataset);
  return guarded(__func__, {ALONE(dataset), NEEDS(out_dataset)}, [&, function = __func__]() -> Status {
    PERCALE_RETURN_IF_ERROR(check_whole(function, &dataset, 1));
    return give(dataset->engine.get(), repeated_rows(dataset->dataset, times), out_dataset);
  });
}

percale_status* percale_dataset_map(percale_dataset* dataset, const percale_graph* graph,
                                    percale_dataset** out_dataset) {
  clear(out_dataset);
  return guarded(__func__, {ALONE(dataset), NEEDS(graph), NEEDS(out_dataset)}, [&, function = __func__]() -> Status {
    PERCALE_RETURN_IF_ERROR(check_whole(function, &dataset, 1));
    percale_engine* engine = dataset->engine.get();
    return give(engine, mapped_rows(dataset->dataset, engine->engine, graph->graph), out_dataset);
  });
}

percale_status* percale_dataset_rename(percale_dataset* dataset, const char* const* names, size_t count,
                                       percale_dataset** out_dataset) {
  clear(out_dataset);
  return guarded(__func__, {ALONE(dataset), NEEDS(out_dataset)}, [&, function = __func__]() -> Status {
    PERCALE_ASSIGN_OR_RETURN(auto all, names_of(function, "names", names, count));
    PERCALE_RETURN_IF_ERROR(check_whole(function, &dataset, 1));
    return give(dataset->engine.get(), renamed_rows(dataset->dataset, std::move(all)), out_dataset);
  });
}

percale_status* percale_dataset_configure(percale_dataset* dataset, int64_t batch_size, int64_t shuffle_seed,
                                          int32_t drop_remainder) {
  return guarded(__func__, {ALONE(dataset)}, [&] {
    return dataset->dataset->configure(
        {.batch_size = batch_size, .shuffle_seed = shuffle_seed, .drop_remainder = drop_remainder != 0});
  });
}

percale_status* percale_dataset_distribute(percale_dataset* dataset, size_t replicas, percale_dataset** out_datasets) {
  if (out_datasets != nullptr && replicas <= kMostReplicas) clear(out_datasets, replicas);
  return guarded(__func__, {ALONE(dataset), NEEDS(out_datasets)}, [&, function = __func__]() -> Status {
    if (replicas < 1 || replicas > kMostReplicas) {
      return out_of_range(function, ": ", static_cast<uint64_t>(replicas), " replicas, wanted 1 to ",
                          static_cast<uint64_t>(kMostReplicas));
    }
    PERCALE_RETURN_IF_ERROR(check_whole(function, &dataset, 1));
    std::vector<std::unique_ptr<percale_dataset>> parts;
    for (size_t r = 0; r < replicas; ++r) {
      const auto replica = static_cast<int64_t>(r);
      PERCALE_ASSIGN_OR_RETURN(auto part,
                               dataset->dataset->part({replica, replica + 1}, static_cast<int64_t>(replicas)));
      parts.push_back(std::make_unique<percale_dataset>(dataset->engine.get(), std::move(part)));
    }
    for (size_t r = 0; r < replicas; ++r) out_datasets[r] = parts[r].release();
    return {};
  });
}

int64_t percale_dataset_rows(const percale_dataset* dataset) {
  if (dataset == nullptr) return 0;
  return dataset->dataset->is_part() ? dataset->dataset->epoch_rows() : dataset->dataset->rows();
}

size_t percale_dataset_column_count(const percale_dataset* dataset) {
  return dataset == nullptr ? 0 : dataset->dataset->columns().size();
}

const char* percale_dataset_get_column_name(const percale_dataset* dataset, size_t index) {
  if (dataset == nullptr || index >= dataset->dataset->columns().size()) return nullptr;
  return dataset->dataset->columns()[index].name.c_str();
}

percale_status* percale_dataset_column_type(const percale_dataset* dataset, size_t index, percale_dtype* out_dtype,
                                            int64_t* out_dims, size_t* out_rank) {
  clear(out_dtype);
  clear(out_rank);
  return guarded(__func__, {ALONE(dataset), NEEDS(out_dtype), NEEDS(out_dims), NEEDS(out_rank)},
                 [&, function = __func__]() -> Status {
                   const std::vector<ValueType> types = dataset->dataset->types();
                   if (index >= types.size()) {
                     return out_of_range(function, ": the data set has ", uint64_t{types.size()},
                                         " columns, not one of index ", uint64_t{index});
                   }
                   Shape row;
                   for (size_t d = 1; d < types[index].shape.rank(); ++d) row.push_back(types[index].shape[d]);
                   *out_dtype = static_cast<percale_dtype>(types[index].dtype);
                   write_shape(row, out_dims, out_rank);
                   return {};
                 });
}

percale_status* percale_dataset_next(percale_dataset* dataset, percale_tensor** out_tensors) {
  if (dataset != nullptr) clear(out_tensors, dataset->dataset->columns().size());
  return guarded(__func__, {NEEDS(dataset), NEEDS(out_tensors)}, [&, function = __func__]() -> Status {
    const Ref<percale_dataset> held(dataset);  // a row callback may release it
    PERCALE_RETURN_IF_ERROR(dataset->engine->engine->check_usable());
    PERCALE_ASSIGN_OR_RETURN([[maybe_unused]] const auto use, dataset->thread.enter(function));
    const ParallelFor parallel = dataset->engine->engine->threads().parallel();
    PERCALE_ASSIGN_OR_RETURN(auto batch,
                             dataset->dataset->is_part() ? next_of_part(*dataset) : dataset->dataset->next(parallel));
    give_tensors(std::move(batch), out_tensors);
    return {};
  });
}

percale_dataset* percale_dataset_retain(percale_dataset* dataset) { return retain(dataset); }

void percale_dataset_release(percale_dataset* dataset) { release(dataset); }
