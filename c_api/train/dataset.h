// The struct behind percale_dataset.
#ifndef PERCALE_C_API_TRAIN_DATASET_H_
#define PERCALE_C_API_TRAIN_DATASET_H_

#include "c_api/engine.h"
#include "c_api/handles.h"
#include "core/train/data/dataset.h"
#include "core/train/data/prefetch.h"

struct percale_dataset : percale::c_api::Counted {
  percale_dataset(percale_engine* e, std::shared_ptr<percale::Dataset> d) : engine(e), dataset(std::move(d)) {}
  percale::c_api::Ref<percale_engine> engine;
  std::shared_ptr<percale::Dataset> dataset;
  // Makes batches of a replica's part ahead, from the first percale_dataset_next() on.
  percale::ProcessPtr<percale::Prefetcher> ahead;
  percale::c_api::OneThread thread{"data set"};
};

#endif  // PERCALE_C_API_TRAIN_DATASET_H_
