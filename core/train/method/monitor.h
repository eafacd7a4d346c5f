// Watches numbers of an epoch: early stopping, and reducing the learning rate on a plateau.
#ifndef PERCALE_CORE_TRAIN_METHOD_MONITOR_H_
#define PERCALE_CORE_TRAIN_METHOD_MONITOR_H_

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/text/json.h"
#include "core/train/method/key_table.h"

namespace percale {

using NamedNumbers = std::vector<std::pair<std::string, double>>;

// The number to watch: "loss" (the mean over the epoch's steps) or a metric. With the prefix "val_"
// it is that of the validation data after the epoch. A plain value.
struct Monitor {
  std::string name = "loss";
  bool larger_is_better = false;
  bool of_validation() const { return name.starts_with("val_"); }
};
// Reads the keys "monitor" and "mode" (auto, min, max; auto: max for accuracies, AUC, F1, precision
// and recall).
Status read_monitor(const Json& object, Monitor* out);
bool larger_is_better(std::string_view name);
// Rows of a key table for the two keys that read_monitor() reads.
template <class T>
constexpr Key<T> monitor_key() {
  return {.name = "monitor",
          .value = ByHand{"text"},
          .doc =
              "Value to monitor: loss or a metric; with the prefix 'val_' it is computed on the validation data, or on "
              "the test data if there is none.",
          .fallback = "loss"};
}
template <class T>
constexpr Key<T> mode_key() {
  return {.name = "mode",
          .value = ByHand{"text"},
          .doc =
              "Whether smaller (min) or larger (max) is better; auto: larger for accuracies, AUC, F1, precision and "
              "recall.",
          .fallback = "auto",
          .choices = "auto|min|max"};
}

// Keras' EarlyStopping: stops after `patience` epochs in a row, none of which was better than both
// the best and `baseline` by more than `min_delta`.
struct EarlyStopping {
  bool on = false;
  Monitor monitor;
  int64_t patience = 0;
  double min_delta = 0;
  std::optional<double> baseline;
  int64_t start_from_epoch = 0;       // earlier epochs are ignored; counts from 0
  bool restore_best_weights = false;  // fit() restores those of the best epoch at its end
};
Result<EarlyStopping> parse_early_stopping(const Json& json);
std::vector<KeyFacts> early_stopping_facts();

// PyTorch's ReduceLROnPlateau: after more than `patience` epochs in a row that did not improve on
// the best, the rate is multiplied by `factor`.
struct Plateau {
  Monitor monitor;
  double factor = 0.1;
  int64_t patience = 10;
  double threshold = 1e-4;
  bool relative = true;  // the threshold is a fraction of the best
  int64_t cooldown = 0;  // epochs after a reduction that never count as bad
  double min_learning_rate = 0;
};
std::span<const Key<Plateau>> plateau_keys();
// Reads these keys from an object that may have others.
Status read_plateau(const Json& object, Plateau* out);
// All settings of a plateau with their values as JSON.
std::vector<std::pair<std::string, std::string>> plateau_values(const Plateau& plateau);

// The state of either monitor. A plain value, part of checkpoints.
struct MonitorState {
  bool started = false;
  bool compared = false;  // early stopping: `best` is set; a NaN in the first epoch does not set it
  double best = 0;
  int64_t bad = 0, cooldown = 0;
  double factor = 1;       // plateau: factor of the learning rate
  bool stopped = false;    // early stopping
  int64_t best_epoch = 0;  // early stopping: counts from 1; 0: none yet

  // `epoch` counts from 0. Returns true if the epoch's weights are the best so far.
  bool update(const EarlyStopping& options, int64_t epoch, double value);
  void update(const Plateau& options, double base_rate, double value);
  // Saves the state as numbers called `prefix`.best and so on, and loads it. Missing numbers leave
  // members as they are.
  void save(std::string_view prefix, NamedNumbers& out) const;
  void load(std::string_view prefix, const NamedNumbers& numbers);
};

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_METHOD_MONITOR_H_
