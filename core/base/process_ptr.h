// The owner of an object that has threads.
#ifndef PERCALE_CORE_BASE_PROCESS_PTR_H_
#define PERCALE_CORE_BASE_PROCESS_PTR_H_

#include <cstdint>
#include <memory>

#include "core/system/process.h"

namespace percale {

// Deletes in the process that made it, and nowhere else. The threads of an object do not exist in a
// forked child. Joining them may never return there, and neither may the destruction of a condition
// variable on which they waited. The child therefore leaves the object alone.
class DeleteInOwnProcess {
 public:
  template <typename T>
  void operator()(T* object) const {
    if (process_ == os::process_id()) delete object;
  }

 private:
  int64_t process_ = os::process_id();
};
template <typename T>
using ProcessPtr = std::unique_ptr<T, DeleteInOwnProcess>;

}  // namespace percale

#endif  // PERCALE_CORE_BASE_PROCESS_PTR_H_
