#include "c_api/dataset.h"

using namespace percale;
using namespace percale::c_api;

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
                                           size_t count, double scale, percale_dataset** out_dataset) {
  clear(out_dataset);
  return guarded(__func__, {NEEDS(engine), NEEDS(out_dataset)}, [&, function = __func__]() -> Status {
    PERCALE_ASSIGN_OR_RETURN(const auto all_names, names_of(function, "names", names, count));
    PERCALE_ASSIGN_OR_RETURN(const auto all_paths, names_of(function, "paths", paths, count));
    PERCALE_ASSIGN_OR_RETURN(auto dataset,
                             Dataset::from_files(all_names, all_paths, scale, engine->engine->memory()));
    *out_dataset = new percale_dataset(engine, std::move(dataset));
    return {};
  });
}

percale_status* percale_dataset_configure(percale_dataset* dataset, int64_t batch_size, int64_t shuffle_seed,
                                          int32_t drop_remainder) {
  return guarded(__func__, {NEEDS(dataset)}, [&] {
    return dataset->dataset->configure(
        {.batch_size = batch_size, .shuffle_seed = shuffle_seed, .drop_remainder = drop_remainder != 0});
  });
}

int64_t percale_dataset_rows(const percale_dataset* dataset) { return dataset == nullptr ? 0 : dataset->dataset->rows(); }

percale_status* percale_dataset_next(percale_dataset* dataset, percale_tensor** out_tensors) {
  if (dataset != nullptr) clear(out_tensors, dataset->dataset->columns().size());
  return guarded(__func__, {NEEDS(dataset), NEEDS(out_tensors)}, [&]() -> Status {
    PERCALE_ASSIGN_OR_RETURN(auto batch, dataset->dataset->next(dataset->engine->engine->threads().parallel()));
    give_tensors(std::move(batch), out_tensors);
    return {};
  });
}

percale_dataset* percale_dataset_retain(percale_dataset* dataset) { return retain(dataset); }

void percale_dataset_release(percale_dataset* dataset) { release(dataset); }
