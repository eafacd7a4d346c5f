#include "core/base/status.h"

#include <doctest/doctest.h>

#include <memory>
#include <utility>

using namespace percale;

namespace {

// Counts how often it was copied.
struct Copied {
  Copied() = default;
  Copied(const Copied& other) : times(other.times + 1) {}
  Copied(Copied&& other) noexcept = default;
  Copied& operator=(const Copied&) = delete;
  Copied& operator=(Copied&&) = delete;
  int times = 0;
};

Result<Copied> make() { return Copied(); }

}  // namespace

TEST_CASE("the value of a result that is not needed any more is moved, not copied") {
  const Copied of_temporary = *make(), of_temporary_value = make().value();
  CHECK(of_temporary.times == 0);
  CHECK(of_temporary_value.times == 0);
  Result<Copied> result = make();
  const Copied of_kept = *result, of_moved = *std::move(result);
  CHECK(of_kept.times == 1);
  CHECK(of_moved.times == 0);
  Result<std::unique_ptr<int>> unique = std::make_unique<int>(7);
  const std::unique_ptr<int> taken = *std::move(unique);
  CHECK(*taken == 7);
}

TEST_CASE("a result without a value has the status that explains why") {
  const Result<int> result = not_found("no such thing");
  CHECK(!result.ok());
  CHECK(result.status().code() == Code::kNotFound);
}
