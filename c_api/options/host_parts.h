// The thread pool and the files that the host supplies with options of an engine.
#ifndef PERCALE_C_API_OPTIONS_HOST_PARTS_H_
#define PERCALE_C_API_OPTIONS_HOST_PARTS_H_

#include <cstring>
#include <functional>
#include <string>

#include "c_api/api.h"
#include "core/base/host_pool.h"
#include "core/file/host_files.h"

namespace percale::c_api {

// The table of a host whose `user` it owns once own_user() was called.
template <class Table, class Base>
class HostTable : public Base {
 public:
  explicit HostTable(const Table& table) : table_(table) { user_.user = table.user; }
  void own_user(percale_destroy destroy) { user_.destroy = destroy; }

 protected:
  const Table& table() const { return table_; }

 private:
  const Table table_;
  HostUser user_;
};

class HostThreadPool final : public HostTable<percale_thread_pool, HostPool> {
 public:
  using HostTable::HostTable;
  Status execute(std::function<void()> task) override;
};

class HostReader final : public HostTable<percale_reader, HostFiles> {
 public:
  using HostTable::HostTable;
  Result<int64_t> size(const std::string& name) const override;
  Status read(const std::string& name, int64_t offset, void* to, int64_t bytes) const override;
};

}  // namespace percale::c_api

#endif  // PERCALE_C_API_OPTIONS_HOST_PARTS_H_
