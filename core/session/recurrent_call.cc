#include "core/session/recurrent_call.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "core/compile/plan.h"

namespace percale {
namespace {

// The device that computes the value with this key and is the only one to read it. Null if there is
// no such device, or if the host needs the value.
const Device* home_of(const Plan& plan, StoreKey key, int32_t fetch, int32_t feed) {
  const ValueSource& source = plan.fetches[static_cast<size_t>(fetch)];
  if (source.kind != ValueSource::Kind::kResult || !plan.stays[static_cast<size_t>(source.index)]) return nullptr;
  const auto shows = [&](const auto& result) { return result.feed == feed; };
  if (std::any_of(plan.shown.begin(), plan.shown.end(), shows) ||
      std::any_of(plan.passed_through.begin(), plan.passed_through.end(), shows)) {
    return nullptr;
  }
  const auto has = [&](const std::vector<StoreKey>& keys) {
    return std::find(keys.begin(), keys.end(), key) != keys.end();
  };
  const Device* maker = nullptr;
  for (const PlacedProgram& p : plan.programs) {
    if (has(p.output_keys)) maker = p.device;
  }
  for (const PlacedProgram& p : plan.programs) {
    if (has(p.input_keys) && p.device != maker) return nullptr;
  }
  return maker;
}

}  // namespace

Result<std::unique_ptr<RecurrentCall>> RecurrentCall::create(std::shared_ptr<Session> session, RunSpec spec,
                                                             const std::vector<ValueType>& feed_types, Pairs pairs) {
  std::unique_ptr<RecurrentCall> out(new RecurrentCall(std::move(session), std::move(pairs)));
  PERCALE_ASSIGN_OR_RETURN(out->plan_, out->session_->prepare(spec, feed_types));
  const std::vector<ValueType> types = Session::fetch_types(*out->plan_);
  for (const auto& [fetch, feed] : out->pairs_) {
    if (types[fetch] == feed_types[feed]) continue;
    return failed_precondition("'", spec.fetches[fetch], "' is ", types[fetch].dtype, " ", types[fetch].shape,
                               ", the feed '", spec.feeds[feed], "' that it is to be ", feed_types[feed].dtype, " ",
                               feed_types[feed].shape);
  }
  PERCALE_RETURN_IF_ERROR(out->keep_on_devices(std::move(spec), feed_types));
  if (!out->is_on_devices()) out->kept_.resize(out->pairs_.size()), out->spare_.resize(out->pairs_.size());
  return out;
}

RecurrentCall::~RecurrentCall() {
  resident_.clear();
  session_->device_store().drop(keys_);
}

// Only if every pair has a home.
Status RecurrentCall::keep_on_devices(RunSpec spec, const std::vector<ValueType>& feed_types) {
  std::vector<StoreKey> keys = session_->device_store().reserve(pairs_.size());
  ResidentSlots slots;
  slots.fetches.assign(spec.fetches.size(), {});
  slots.feeds.assign(spec.feeds.size(), {});
  slots.keep_on_device = true;
  for (size_t i = 0; i < pairs_.size(); ++i) {
    const auto [fetch, feed] = pairs_[i];
    slots.fetches[fetch] = slots.feeds[feed] = keys[i];
  }
  spec.binding = RunBinding::shared(std::move(slots));
  auto plan = session_->prepare(spec, feed_types);
  if (plan.status().code() == Code::kUnimplemented) return {};
  PERCALE_RETURN_IF_ERROR(plan.status());
  if (!(*plan)->control.empty() || (*plan)->rest.graph != nullptr) return {};
  std::vector<const Device*> devices;
  for (size_t i = 0; i < pairs_.size(); ++i) {
    const auto [fetch, feed] = pairs_[i];
    devices.push_back(home_of(**plan, keys[i], static_cast<int32_t>(fetch), static_cast<int32_t>(feed)));
    if (devices.back() == nullptr) return {};
  }
  plan_ = *std::move(plan);
  keys_ = std::move(keys);
  devices_ = std::move(devices);
  return {};
}

Status RecurrentCall::run(std::vector<Tensor>& feeds, std::vector<Tensor>& outputs, RunOptions options) {
  const auto given =
      std::count_if(pairs_.begin(), pairs_.end(), [&](const auto& p) { return feeds[p.second].defined(); });
  if (given != 0 && given != static_cast<ptrdiff_t>(pairs_.size())) {
    return invalid_argument("of ", static_cast<uint64_t>(pairs_.size()), " feeds that runs hand on ", int64_t{given},
                            " are given: give all of them for a new beginning, or none");
  }
  const bool begins = given > 0;
  if (!begins && !begun_)
    return failed_precondition("the first run needs the feeds that later ones take from the run before");
  PERCALE_RETURN_IF_ERROR(is_on_devices() ? run_on_devices(feeds, outputs, options, begins)
                                          : run_on_host(feeds, outputs, options, begins));
  begun_ = true;
  return {};
}

Status RecurrentCall::run_on_devices(const std::vector<Tensor>& feeds, std::vector<Tensor>& outputs, RunOptions options,
                                     bool begins) {
  const int64_t read = begins ? ++last_version_ : version_;
  const int64_t next = ++last_version_;
  options.values = options.values.with_resident(read, next);
  std::vector<Tensor> given = outputs;
  for (const auto& [fetch, feed] : pairs_) given[fetch] = Tensor();
  PERCALE_RETURN_IF_ERROR(session_->run(*plan_, feeds, given, options));
  std::vector<std::unique_ptr<const ResidentValues>> resident;
  for (size_t i = 0; i < pairs_.size(); ++i) {
    PERCALE_ASSIGN_OR_RETURN(resident.emplace_back(), session_->hold(*devices_[i], {&keys_[i], 1}, {&next, 1}));
    Tensor& to = given[pairs_[i].first];
    to = outputs[pairs_[i].first];
    if (to.defined()) PERCALE_RETURN_IF_ERROR(resident.back()->copy_value(to));
  }
  outputs = std::move(given);
  resident_ = std::move(resident);
  version_ = next;
  return {};
}

Status RecurrentCall::run_on_host(std::vector<Tensor>& feeds, std::vector<Tensor>& outputs, const RunOptions& options,
                                  bool begins) {
  std::vector<Tensor> given = outputs;
  for (size_t i = 0; i < pairs_.size(); ++i) {
    const auto [fetch, feed] = pairs_[i];
    if (!begins) feeds[feed] = kept_[i];
    given[fetch] = spare_[i];
  }
  PERCALE_RETURN_IF_ERROR(session_->run(*plan_, feeds, given, options));
  for (size_t i = 0; i < pairs_.size(); ++i) {
    const Tensor made = std::exchange(given[pairs_[i].first], outputs[pairs_[i].first]);
    const Tensor& to = given[pairs_[i].first];
    if (to.defined() && to.bytes() > 0) std::memcpy(to.data(), made.data(), static_cast<size_t>(to.bytes()));
    spare_[i] = std::exchange(kept_[i], made);
  }
  outputs = std::move(given);
  return {};
}

}  // namespace percale
