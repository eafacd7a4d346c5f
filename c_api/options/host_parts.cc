#include "c_api/options/host_parts.h"

#include <algorithm>
#include <atomic>

#include "c_api/options/options.h"

using namespace percale;
using namespace percale::c_api;

struct percale_task {
  std::function<void()> work;
  std::atomic<bool> begun{false};
};

namespace percale::c_api {
namespace {

// A copy of the host's table, which may be smaller than that of this library. `required`: the slots
// that it must have.
template <class Table>
Result<Table> whole_table(const char* function, const Table& table, size_t required) {
  Table whole{};
  if (table.struct_size < required) {
    return invalid_argument(function, ": 'struct_size' is ", table.struct_size, ", wanted ", uint64_t{sizeof whole});
  }
  std::memcpy(&whole, &table, std::min<size_t>(table.struct_size, sizeof whole));
  return whole;
}

// Puts a part in the place of an earlier one, and takes over the host's `user`. Nothing fails here.
template <class Part>
void replace(std::shared_ptr<Part>& place, std::shared_ptr<Part> part, percale_destroy destroy) {
  part->own_user(destroy);
  place.swap(part);
}

}  // namespace

Status HostThreadPool::execute(std::function<void()> task) {
  auto handle = std::make_unique<percale_task>();
  handle->work = std::move(task);
  Status status = from_c(table().execute(table().user, handle.get()));
  if (status.ok()) static_cast<void>(handle.release());
  return status;
}

Result<int64_t> HostReader::size(const std::string& name) const {
  int64_t out = 0;
  PERCALE_RETURN_IF_ERROR(from_c(table().size(table().user, name.c_str(), &out)));
  return out;
}

Status HostReader::read(const std::string& name, int64_t offset, void* to, int64_t bytes) const {
  return from_c(table().read(table().user, name.c_str(), offset, to, static_cast<size_t>(bytes)));
}

}  // namespace percale::c_api

percale_status* percale_options_set_thread_pool(percale_options* options, const percale_thread_pool* pool,
                                                percale_destroy destroy) {
  return guarded(__func__, {NEEDS(options), NEEDS(pool)}, [&, function = __func__]() -> Status {
    PERCALE_RETURN_IF_ERROR(check_options(function, options, "engine"));
    PERCALE_ASSIGN_OR_RETURN(const auto table, whole_table(function, *pool, sizeof(percale_thread_pool)));
    if (table.execute == nullptr) return invalid_argument(function, ": 'execute' is NULL");
    replace(options->thread_pool, std::make_shared<HostThreadPool>(table), destroy);
    return {};
  });
}

percale_status* percale_options_set_reader(percale_options* options, const percale_reader* reader,
                                           percale_destroy destroy) {
  return guarded(__func__, {NEEDS(options), NEEDS(reader)}, [&, function = __func__]() -> Status {
    PERCALE_RETURN_IF_ERROR(check_options(function, options, "engine"));
    PERCALE_ASSIGN_OR_RETURN(const auto table, whole_table(function, *reader, sizeof(percale_reader)));
    if (table.size == nullptr) return invalid_argument(function, ": 'size' is NULL");
    if (table.read == nullptr) return invalid_argument(function, ": 'read' is NULL");
    replace(options->reader, std::make_shared<HostReader>(table), destroy);
    return {};
  });
}

void percale_task_run(percale_task* task) {
  if (task != nullptr && !task->begun.exchange(true)) task->work();
}

void percale_task_release(percale_task* task) { delete task; }
