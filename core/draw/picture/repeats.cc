#include "core/draw/picture/repeats.h"

#include <algorithm>
#include <queue>

namespace percale {
namespace {

// A block that saves fewer nodes than this is not worth it.
constexpr int64_t kLeastSaved = 3;

// The maximal part of the sequence that has this period.
struct Candidate {
  int64_t saved = 0;
  int32_t begin = 0, end = 0, period = 0;
  int32_t count() const { return (end - begin) / period; }
};

class Finder {
 public:
  explicit Finder(const std::vector<Step>& steps) : steps_(steps), weights_(steps.size() + 1, 0) {
    for (size_t i = 0; i < steps.size(); ++i) weights_[i + 1] = weights_[i] + steps[i].weight;
    find_crossings();
  }

  std::vector<Repeat> run() {
    const auto size = static_cast<int32_t>(steps_.size());
    for (int32_t period = 1; period <= std::min(size / 2, kMaxPeriod); ++period) add_candidates(period);
    std::vector<bool> taken(steps_.size(), false);
    std::vector<Repeat> out;
    while (!candidates_.empty()) {
      const Candidate best = candidates_.top();
      candidates_.pop();
      const auto used = std::find(taken.begin() + best.begin, taken.begin() + best.end, true);
      if (used != taken.begin() + best.end) {
        add_free_parts(best, taken);
        continue;
      }
      const int32_t begin = best_begin(best);
      out.push_back({begin, best.period, (best.end - begin) / best.period});
      std::fill_n(taken.begin() + begin, out.back().period * out.back().count, true);
    }
    std::sort(out.begin(), out.end(), [](const Repeat& a, const Repeat& b) { return a.begin < b.begin; });
    return out;
  }

 private:
  // True if step i is like the step one period later, in ranges that start at `begin`. Sources are
  // compared by their distance. A source before the first range corresponds to one in the first
  // range when seen from the second. Sources further back than one period may be anywhere.
  bool equal(int32_t i, int32_t period, int32_t begin) const {
    const Step& first = steps_[static_cast<size_t>(i)];
    const Step& second = steps_[static_cast<size_t>(i + period)];
    if (first.likeness < 0 || first.likeness != second.likeness) return false;
    if (first.sources.size() != second.sources.size()) return false;
    for (size_t k = 0; k < first.sources.size(); ++k) {
      const int32_t a = first.sources[k], b = second.sources[k];
      const bool far = (a < 0 || i - a > period) && (b < 0 || i + period - b > period);
      const bool enters = i < begin + period && a < begin && b < begin + period;
      const bool same = a == b || (a >= 0 && b - a == period);
      if (!same && !enters && !far) return false;
    }
    return true;
  }

  void add_candidates(int32_t period) {
    const auto size = static_cast<int32_t>(steps_.size());
    for (int32_t i = 0; i + period < size; ++i) {
      const int32_t begin = i;
      while (i + period < size && equal(i, period, begin)) ++i;
      add({0, begin, i + period, period});
    }
  }

  void add(Candidate c) {
    if (c.count() < 2) return;
    const auto weight = [&](int32_t step) { return weights_[static_cast<size_t>(step)]; };
    c.saved = weight(c.begin + c.period * c.count()) - weight(c.begin + c.period);
    if (c.saved >= kLeastSaved) candidates_.push(c);
  }

  void add_free_parts(const Candidate& c, const std::vector<bool>& taken) {
    for (int32_t i = c.begin; i < c.end;) {
      const int32_t begin = i;
      while (i < c.end && !taken[static_cast<size_t>(i)]) ++i;
      add({0, begin, i, c.period});
      while (i < c.end && taken[static_cast<size_t>(i)]) ++i;
    }
  }

  // Computes crossings_[i]: the number of values that are produced before step i and used at or
  // after it.
  void find_crossings() {
    const size_t size = steps_.size();
    std::vector<size_t> last(size, 0);
    for (size_t i = 0; i < size; ++i) {
      for (const int32_t source : steps_[i].sources) {
        if (source >= 0) last[static_cast<size_t>(source)] = i;
      }
    }
    crossings_.assign(size + 1, 0);
    for (size_t i = 0; i < size; ++i) {
      if (last[i] <= i) continue;
      ++crossings_[i + 1];
      --crossings_[last[i] + 1];
    }
    for (size_t i = 1; i <= size; ++i) crossings_[i] += crossings_[i - 1];
  }

  // If steps are left over, a repeat may begin at any step of a period. Chooses the begin with the
  // fewest crossing values.
  int32_t best_begin(const Candidate& c) const {
    int32_t best = c.begin;
    for (int32_t i = c.begin; i + c.period * c.count() <= c.end; ++i) {
      if (crossings_[static_cast<size_t>(i)] < crossings_[static_cast<size_t>(best)]) best = i;
    }
    return best;
  }

  struct Worse {
    bool operator()(const Candidate& a, const Candidate& b) const {
      if (a.saved != b.saved) return a.saved < b.saved;
      return a.period != b.period ? a.period > b.period : a.begin > b.begin;
    }
  };

  const std::vector<Step>& steps_;
  std::vector<int64_t> weights_;  // sum over all earlier steps
  std::vector<int32_t> crossings_;
  std::priority_queue<Candidate, std::vector<Candidate>, Worse> candidates_;
};

}  // namespace

std::vector<Repeat> find_repeats(const std::vector<Step>& steps) { return Finder(steps).run(); }

}  // namespace percale
