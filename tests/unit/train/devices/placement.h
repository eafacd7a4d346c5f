// Where a trainer stores its parameters, for tests.
#ifndef PERCALE_TESTS_UNIT_TRAIN_DEVICES_PLACEMENT_H_
#define PERCALE_TESTS_UNIT_TRAIN_DEVICES_PLACEMENT_H_

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "core/text/json.h"
#include "core/train/trainer.h"

namespace percale {

// Returns a number that describe() reports for a device that stores parameters; -1 if
// it stores none.
inline int64_t number_of(const Trainer& trainer, const std::string& device, std::string_view key) {
  const auto json = Json::parse(trainer.describe());
  REQUIRE(json.ok());
  const Json& devices = *json->find("parameter_placement")->find("devices");
  for (size_t i = 0; i < devices.size(); ++i) {
    if (*devices.item(i).find("name")->as_string("") == device) return *devices.item(i).find(key)->as_int("");
  }
  return -1;
}

}  // namespace percale

#endif  // PERCALE_TESTS_UNIT_TRAIN_DEVICES_PLACEMENT_H_
