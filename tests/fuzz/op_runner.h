// Runs a drawn node through builder, validator, session and run.
#ifndef PERCALE_TESTS_FUZZ_OP_RUNNER_H_
#define PERCALE_TESTS_FUZZ_OP_RUNNER_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/engine/engine.h"
#include "core/session/session.h"
#include "tests/fuzz/op_draft.h"

namespace percale {

class OpRunner {
 public:
  explicit OpRunner(std::shared_ptr<Engine> engine) : engine_(std::move(engine)) {}

  // Returns true if the node ran.
  bool run(const Draft& draft, Random& random);

  std::string finding;  // of the last run; empty: no finding

 private:
  bool run_twice(Session& session, const RunSpec& spec, const std::vector<Tensor>& feeds);
  bool note(const Status& status);

  const std::shared_ptr<Engine> engine_;
};

}  // namespace percale

#endif  // PERCALE_TESTS_FUZZ_OP_RUNNER_H_
