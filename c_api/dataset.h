// What stands behind percale_dataset.
#ifndef PERCALE_C_API_DATASET_H_
#define PERCALE_C_API_DATASET_H_

#include "c_api/engine.h"
#include "c_api/handles.h"
#include "core/train/dataset.h"

struct percale_dataset : percale::c_api::Counted {
  percale_dataset(percale_engine* e, std::shared_ptr<percale::Dataset> d) : engine(e), dataset(std::move(d)) {}
  percale::c_api::Ref<percale_engine> engine;
  std::shared_ptr<percale::Dataset> dataset;
};

#endif  // PERCALE_C_API_DATASET_H_
