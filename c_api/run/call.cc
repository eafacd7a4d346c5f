// Prepared runs.
#include <algorithm>

#include "c_api/cancellation.h"
#include "c_api/run/session.h"
#include "core/session/recurrent_call.h"

using namespace percale;
using namespace percale::c_api;

struct percale_call {
  Ref<percale_session> session;
  RunSpec spec;
  std::shared_ptr<const Plan> plan;
  std::vector<ValueType> feed_types, fetch_types;
  RecurrentCall::Pairs pairs;
  std::unique_ptr<RecurrentCall> carried;  // null: nothing is handed on
  std::vector<Tensor> feeds, fetches;      // filled for the time of a run
  int64_t variables_version = 0;           // that the last run has read
  OneThread thread{"call"};

  bool carries_fetch(size_t i) const {
    return std::any_of(pairs.begin(), pairs.end(), [&](const auto& pair) { return pair.first == i; });
  }
  bool carries_feed(size_t i) const {
    return std::any_of(pairs.begin(), pairs.end(), [&](const auto& pair) { return pair.second == i; });
  }
};

namespace {

Status check_tensor(const char* function, std::string_view what, std::string_view name, const percale_tensor* tensor,
                    const ValueType& type) {
  if (tensor == nullptr) return invalid_argument(function, ": the ", what, " '", name, "' is NULL");
  const Tensor& given = tensor->tensor;
  if (given.dtype() == type.dtype && given.shape() == type.shape) return {};
  return invalid_argument(function, ": the ", what, " '", name, "' is ", given.dtype(), " ", given.shape(), ", wanted ",
                          type.dtype, " ", type.shape);
}

bool overlap(const Tensor& a, const Tensor& b) {
  const auto* a_begin = static_cast<const char*>(a.data());
  const auto* b_begin = static_cast<const char*>(b.data());
  return a.defined() && b.defined() && a_begin < b_begin + b.bytes() && b_begin < a_begin + a.bytes();
}

// A call that failed or ended keeps no memory of the host.
void forget(percale_call& call) {
  for (Tensor& tensor : call.feeds) tensor = Tensor();
  for (Tensor& tensor : call.fetches) tensor = Tensor();
}

Status take_tensors(const char* function, percale_call& call, percale_tensor* const* inputs,
                    percale_tensor* const* outputs) {
  for (size_t i = 0; i < call.feeds.size(); ++i) {
    if (inputs[i] == nullptr && call.carries_feed(i)) continue;
    PERCALE_RETURN_IF_ERROR(check_tensor(function, "feed", call.spec.feeds[i], inputs[i], call.feed_types[i]));
    call.feeds[i] = inputs[i]->tensor;
  }
  for (size_t i = 0; i < call.fetches.size(); ++i) {
    if (outputs[i] == nullptr && call.carries_fetch(i)) continue;
    PERCALE_RETURN_IF_ERROR(
        check_tensor(function, "output for", call.spec.fetches[i], outputs[i], call.fetch_types[i]));
    call.fetches[i] = outputs[i]->tensor;
    for (size_t j = 0; j < call.feeds.size(); ++j) {
      if (overlap(call.fetches[i], call.feeds[j])) {
        return invalid_argument(function, ": the output for '", call.spec.fetches[i], "' shares memory with the feed '",
                                call.spec.feeds[j], "'");
      }
    }
    for (size_t j = 0; j < i; ++j) {
      if (overlap(call.fetches[i], call.fetches[j])) {
        return invalid_argument(function, ": the outputs for '", call.spec.fetches[i], "' and '", call.spec.fetches[j],
                                "' share memory");
      }
    }
  }
  return {};
}

Status run(const char* function, percale_call& call, percale_tensor* const* inputs, percale_tensor* const* outputs,
           int64_t timeout_ns, const CancelToken* cancel) {
  PERCALE_RETURN_IF_ERROR(check_may_wait(function));
  if (inputs == nullptr && !call.feeds.empty()) return invalid_argument(function, ": 'inputs' is NULL");
  if (outputs == nullptr && !call.fetches.empty()) return invalid_argument(function, ": 'outputs' is NULL");
  Status status = take_tensors(function, call, inputs, outputs);
  if (status.ok()) {
    const auto trace = call.session->current_trace();
    const RunOptions options{.deadline_ns = deadline_after(timeout_ns),
                             .cancel = cancel,
                             .trace = trace.get(),
                             .variables_version = &call.variables_version};
    status = call.carried != nullptr ? call.carried->run(call.feeds, call.fetches, options).with_context(function)
                                     : call.session->session->run(*call.plan, call.feeds, call.fetches, options);
  }
  forget(call);
  return status;
}

}  // namespace

percale_status* percale_call_create(percale_session* session, const char* const* feed_names,
                                    const percale_dtype* feed_dtypes, const int64_t* const* feed_dims,
                                    const size_t* feed_ranks, size_t feed_count, const char* const* fetch_names,
                                    size_t fetch_count, percale_call** out_call) {
  clear(out_call);
  return guarded(__func__, {NEEDS(session), NEEDS(out_call)}, [&, function = __func__]() -> Status {
    auto call = std::make_unique<percale_call>();
    PERCALE_ASSIGN_OR_RETURN(call->spec,
                             run_spec(function, feed_names, feed_count, fetch_names, fetch_count, nullptr, 0));
    PERCALE_ASSIGN_OR_RETURN(call->feed_types, feed_types(function, feed_dtypes, feed_dims, feed_ranks, feed_count));
    call->session = Ref(session);
    PERCALE_ASSIGN_OR_RETURN(call->plan, session->session->prepare(call->spec, call->feed_types));
    call->fetch_types = Session::fetch_types(*call->plan);
    for (size_t i = 0; i < call->fetch_types.size(); ++i) {
      if (call->fetch_types[i].dtype == DType::kInvalid || !call->fetch_types[i].shape.is_static()) {
        return failed_precondition(function, ": the shape of '", call->spec.fetches[i],
                                   "' is not known before the run; run the session without preparing the call");
      }
    }
    call->feeds.resize(feed_count);
    call->fetches.resize(fetch_count);
    *out_call = call.release();
    return {};
  });
}

percale_status* percale_call_carry(percale_call* call, size_t fetch, size_t feed) {
  return guarded(__func__, {ALONE(call)}, [&, function = __func__]() -> Status {
    if (fetch >= call->fetches.size()) return out_of_range(function, ": there is no output ", uint64_t{fetch});
    if (feed >= call->feeds.size()) return out_of_range(function, ": there is no feed ", uint64_t{feed});
    if (call->carries_fetch(fetch) || call->carries_feed(feed)) {
      return invalid_argument(function, ": '", call->spec.fetches[fetch], "' or '", call->spec.feeds[feed],
                              "' is handed on already");
    }
    RecurrentCall::Pairs pairs = call->pairs;
    pairs.emplace_back(fetch, feed);
    PERCALE_ASSIGN_OR_RETURN(call->carried,
                             RecurrentCall::create(call->session->session, call->spec, call->feed_types, pairs));
    call->pairs = std::move(pairs);
    return {};
  });
}

percale_status* percale_call_run(percale_call* call, percale_tensor* const* inputs, percale_tensor* const* outputs) {
  return guarded(__func__, {ALONE(call)},
                 [&, function = __func__] { return run(function, *call, inputs, outputs, PERCALE_FOREVER, nullptr); });
}

percale_status* percale_call_run_until(percale_call* call, percale_tensor* const* inputs,
                                       percale_tensor* const* outputs, int64_t timeout_ns,
                                       percale_cancellation* cancellation) {
  return guarded(__func__, {ALONE(call)}, [&, function = __func__]() -> Status {
    const CancelToken* token = cancellation == nullptr ? nullptr : cancellation->token.get();
    if (token != nullptr && token->cancelled()) {
      return Status(Code::kCancelled, str_cat(function, ": cancelled before the run began"));
    }
    return run(function, *call, inputs, outputs, timeout_ns, token);
  });
}

percale_status* percale_call_output_type(const percale_call* call, size_t index, percale_dtype* out_dtype,
                                         int64_t* out_dims, size_t* out_rank) {
  clear(out_dtype);
  clear(out_rank);
  return guarded(__func__, {NEEDS(call), NEEDS(out_dtype), NEEDS(out_dims), NEEDS(out_rank)},
                 [&, function = __func__]() -> Status {
                   if (index >= call->fetch_types.size()) {
                     return out_of_range(function, ": there is no output ", uint64_t{index});
                   }
                   *out_dtype = static_cast<percale_dtype>(call->fetch_types[index].dtype);
                   write_shape(call->fetch_types[index].shape, out_dims, out_rank);
                   return {};
                 });
}

int64_t percale_call_variables_version(const percale_call* call) {
  return call == nullptr ? 0 : call->variables_version;
}

void percale_call_release(percale_call* call) { delete call; }
