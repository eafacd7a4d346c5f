// Models of foreign formats out of graphs.
#include <optional>

#include "c_api/graph/graph_file.h"
#include "c_api/options/options.h"
#include "core/file/file.h"

using namespace percale;
using namespace percale::c_api;

namespace {

// A file that is there when something was written. The first error stays, what comes after it goes
// nowhere.
class LazyFile {
 public:
  explicit LazyFile(std::string path) : path_(std::move(path)) {}

  void write(const void* bytes, size_t size) {
    if (!status_.ok()) return;
    if (!file_) {
      auto made = AtomicFile::create(path_);
      if (made.ok()) {
        file_.emplace(std::move(made).value());
      } else {
        status_ = made.status();
      }
    }
    if (status_.ok()) status_ = file_->write(bytes, static_cast<int64_t>(size));
  }
  void fail(Status status) { status_ = std::move(status); }
  const Status& status() const { return status_; }
  Status commit() { return file_ ? file_->commit() : Status(); }

 private:
  const std::string path_;
  std::optional<AtomicFile> file_;
  Status status_;
};

struct Files {
  LazyFile model, data;
};

// Nothing may be thrown into the plug-in; only memory can run out.
void put(LazyFile& file, const void* bytes, size_t size) noexcept {
  try {
    file.write(bytes, size);
  } catch (...) {
    file.fail(Status(Code::kResourceExhausted, {}));
  }
}

Status export_to(const char* function, percale_engine* engine, const percale_graph* graph,
                 const percale_variables* variables, const char* format, const percale_export_target& target) {
  PERCALE_ASSIGN_OR_RETURN(const percale_format* importer, format_of(function, *engine, format));
  if (importer->export_graph == nullptr) {
    return unimplemented(function, ": the importer of '", format, "' writes no models");
  }
  PERCALE_ASSIGN_OR_RETURN(auto whole, with_values(graph->graph, variables));
  const percale_graph with(std::move(whole));
  return from_c(importer->export_graph(importer->user, &with, &target));
}

}  // namespace

percale_status* percale_graph_export(percale_engine* engine, const percale_graph* graph,
                                     const percale_variables* variables, const char* format,
                                     const percale_options* options, const char* path) {
  return guarded(__func__, {NEEDS(engine), NEEDS(graph), NEEDS(format), NEEDS(path)},
                 [&, function = __func__]() -> Status {
                   PERCALE_RETURN_IF_ERROR(check_options(function, options, "export"));
                   const std::string external = OptionValues(options, "export").text("external_data");
                   const std::string data_path = std::string(path) + ".data";
                   const std::string data_name(file_name(data_path));
                   Files files{LazyFile(path), LazyFile(data_path)};
                   percale_export_target target{};
                   target.struct_size = sizeof target;
                   target.user = &files;
                   target.write = [](void* user, const void* bytes, size_t size) {
                     put(static_cast<Files*>(user)->model, bytes, size);
                   };
                   target.data_name = external == "never" ? nullptr : data_name.c_str();
                   target.write_data = [](void* user, const void* bytes, size_t size) {
                     put(static_cast<Files*>(user)->data, bytes, size);
                   };
                   target.prefer_data = external == "always" ? 1 : 0;
                   PERCALE_RETURN_IF_ERROR(export_to(function, engine, graph, variables, format, target));
                   PERCALE_RETURN_IF_ERROR(files.data.status());
                   PERCALE_RETURN_IF_ERROR(files.model.status());
                   // A model without its data is worse than data without a model.
                   PERCALE_RETURN_IF_ERROR(files.data.commit());
                   return files.model.commit();
                 });
}

percale_status* percale_graph_export_bytes(percale_engine* engine, const percale_graph* graph,
                                           const percale_variables* variables, const char* format,
                                           percale_text** out_bytes) {
  clear(out_bytes);
  return guarded(__func__, {NEEDS(engine), NEEDS(graph), NEEDS(format), NEEDS(out_bytes)},
                 [&, function = __func__]() -> Status {
                   struct Sink {
                     std::string bytes;
                     bool failed = false;
                   } sink;
                   percale_export_target target{};
                   target.struct_size = sizeof target;
                   target.user = &sink;
                   target.write = [](void* user, const void* bytes, size_t size) {
                     auto* to = static_cast<Sink*>(user);
                     try {
                       to->bytes.append(static_cast<const char*>(bytes), size);
                     } catch (...) {
                       to->failed = true;
                     }
                   };
                   PERCALE_RETURN_IF_ERROR(export_to(function, engine, graph, variables, format, target));
                   if (sink.failed) throw std::bad_alloc();
                   *out_bytes = make_text(std::move(sink.bytes));
                   return {};
                 });
}
