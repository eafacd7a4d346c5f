#include "core/placement/place.h"

#include <algorithm>

#include "core/base/number_text.h"
#include "core/placement/constraints.h"
#include "core/placement/cost_model.h"
#include "core/placement/simulated_run.h"

namespace percale {
namespace {

// Minimum gain of spreading a run over devices. Estimates are rough, and every further device is a
// further thread to wake.
constexpr double kLeastShare = 0.1, kLeastSeconds = 50e-6;
constexpr size_t kShownCandidates = 8;

std::string time_text(double seconds) {
  if (seconds < 1e-3) return general_text(seconds * 1e6, 3) + " us";
  if (seconds < 1) return general_text(seconds * 1e3, 3) + " ms";
  return general_text(seconds, 3) + " s";
}

class Placer {
 public:
  Placer(const Function& f, const std::vector<PlacementDevice>& devices, const PlaceOptions& options,
         PlacementUnits units)
      : f_(f), devices_(devices), options_(options), units_(std::move(units)) {}

  Placement run() {
    std::vector<std::vector<int32_t>> candidates;  // before the numerics are chosen
    for (const PlacementUnit& unit : units_.units) candidates.push_back(unit.candidates);
    if (!choices_of_bits_alone()) {
      // Chooses the numerics. Nothing that differs between runs or between thread counts may count
      // here.
      const CostModel nominal(f_, devices_, options_.input_homes, 0);
      bool spread = false;
      keep_bits_of(choose(nominal, &spread));
    }
    const CostModel costs(f_, devices_, options_.input_homes, options_.threads, options_.measured);
    bool spread = false;
    const Assignment chosen = choose(costs, &spread);
    explain(costs, chosen, candidates, spread);
    return std::move(out_);
  }

 private:
  const std::string& bits(int32_t device) const { return devices_[static_cast<size_t>(device)].numerics(); }

  // True if all candidates of each unit give the same bits.
  bool choices_of_bits_alone() const {
    return std::all_of(units_.units.begin(), units_.units.end(), [&](const PlacementUnit& unit) {
      return std::all_of(unit.candidates.begin(), unit.candidates.end(),
                         [&](int32_t d) { return bits(d) == bits(unit.candidates[0]); });
    });
  }

  void keep_bits_of(const Assignment& chosen) {
    for (PlacementUnit& unit : units_.units) {
      const std::string& wanted = bits(chosen.device_of[static_cast<size_t>(unit.nodes[0])]);
      std::erase_if(unit.candidates, [&](int32_t d) { return bits(d) != wanted; });
    }
  }

  Assignment choose(const CostModel& costs, bool* spread) {
    Assignment near = assign_nearest(f_, devices_, costs, units_);
    const bool settled = std::all_of(units_.units.begin(), units_.units.end(),
                                     [](const PlacementUnit& unit) { return unit.candidates.size() == 1; });
    if (settled || !options_.group.empty()) return near;
    Assignment early = assign_earliest(f_, devices_, costs, units_);
    *spread = early.end < near.end * (1 - kLeastShare) && near.end - early.end > kLeastSeconds;
    out_.summary =
        str_cat("nodes with a choice of device are placed ",
                *spread ? "where they finish first: " : "next to their largest inputs: ", time_text(near.end),
                " are expected next to their inputs, ", time_text(early.end), " where each finishes first");
    return *spread ? std::move(early) : std::move(near);
  }

  // Simulates the run once more and records the forecast for each candidate.
  void explain(const CostModel& costs, const Assignment& chosen, const std::vector<std::vector<int32_t>>& candidates,
               bool spread) {
    SimulatedRun simulated(f_, devices_, costs);
    out_.device_of = chosen.device_of;
    out_.forecasts.resize(f_.nodes.size());
    for (size_t i = 0; i < f_.nodes.size(); ++i) {
      const auto id = static_cast<NodeId>(i);
      const int32_t device = chosen.device_of[i];
      const auto u = static_cast<size_t>(units_.unit_of[i]);
      const PlacementUnit& unit = units_.units[u];
      std::string reason = unit.reason;
      if (candidates[u].size() > 1) {
        for (const int32_t d : candidates[u]) {
          if (out_.forecasts[i].size() == kShownCandidates && d != device) continue;
          out_.forecasts[i].push_back({d, costs.seconds(id, d), simulated.end_of(id, d)});
        }
        const bool near = simulated.nearest(id, unit.candidates) == device;
        reason = spread ? "where it finishes first"
                 : near ? "next to its largest inputs"
                        : "first device that can run it";
        reason += numbers(out_.forecasts[i], device);
      }
      out_.reasons.push_back(reason + unit.note);
      simulated.run(id, device);
    }
    out_.seconds = simulated.end();
    if (out_.summary.empty()) out_.summary = "no node has a choice of device";
  }

  // Formats forecasts as ": takes 1.2 ms and ends after 3.4 ms; on cpu:1 1.3 ms, after 4.1 ms".
  std::string numbers(const std::vector<Forecast>& forecasts, int32_t device) const {
    std::string own, others;
    for (const Forecast& f : forecasts) {
      if (f.device == device) {
        own = str_cat(": takes ", time_text(f.seconds), " and finishes after ", time_text(f.end));
      } else {
        others += str_cat("; on ", devices_[static_cast<size_t>(f.device)].name, " ", time_text(f.seconds), ", after ",
                          time_text(f.end));
      }
    }
    return own + others;
  }

  const Function& f_;
  const std::vector<PlacementDevice>& devices_;
  const PlaceOptions& options_;
  PlacementUnits units_;
  Placement out_;
};

}  // namespace

Result<Placement> place(const Function& function, const std::vector<PlacementDevice>& devices, const KernelProbe& probe,
                        const PlaceOptions& options) {
  if (devices.empty())
    return failed_precondition("this engine has no device: it can build, check and save graphs, but not run them");
  PERCALE_ASSIGN_OR_RETURN(PlacementUnits units, find_units(function, devices, probe, options));
  return Placer(function, devices, options, std::move(units)).run();
}

}  // namespace percale
