// Takes the lookups in tables out of the function that computes a shard: it gets the rows that it
// needs instead of whole tables.
#ifndef PERCALE_CORE_TRAIN_REWRITE_TABLE_LOOKUPS_H_
#define PERCALE_CORE_TRAIN_REWRITE_TABLE_LOOKUPS_H_

#include "core/train/rewrite/train_graph.h"

namespace percale {

// Adds a kLookUpFunction, which tells the rows that a shard looks up, and inputs of compute for
// these rows and their positions. Does so for tables that train by rows whose row numbers depend on
// inputs of the model alone; other tables stay as they are.
Status take_out_lookups(TrainGraph& train);

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_REWRITE_TABLE_LOOKUPS_H_
