// The table by which a format builds a graph. Functions without a definition here are those of
// percale.h.
#include "c_api/graph/builder.h"

#include "c_api/api.h"
#include "c_api/handles.h"
#include "c_api/host/tables.h"
#include "core/file/host_files.h"
#include "core/graph/emit/upgrade.h"

namespace percale::c_api {
namespace {

percale_engine* builder_engine(percale_builder* builder) { return builder->engine.get(); }

int32_t builder_knows_op(const percale_builder* builder, const char* op, int32_t version) {
  return guarded_value(int32_t{0}, [&]() -> int32_t {
    return op != nullptr && knows_op(builder->builder->registry(), op, version) ? 1 : 0;
  });
}

percale_status* builder_reserve_name(percale_builder* builder, const char* name) {
  return guarded(__func__, {NEEDS(builder), NEEDS(name)}, [&]() -> Status {
    builder->current().reserve_name(name);
    return {};
  });
}

percale_status* builder_input(percale_builder* builder, const char* name, percale_dtype dtype, const int64_t* dims,
                              size_t rank, percale_value* out_value) {
  if (rank != SIZE_MAX) return percale_builder_input(builder, name, dtype, dims, rank, out_value);
  return guarded(__func__, {NEEDS(builder), NEEDS(name), NEEDS(out_value)}, [&, function = __func__]() -> Status {
    PERCALE_ASSIGN_OR_RETURN(const DType type, dtype_of_number(function, dtype));
    PERCALE_ASSIGN_OR_RETURN(const ValueId id, builder->current().add_input(name, type, Shape::unranked()));
    *out_value = builder->give(id);
    return {};
  });
}

percale_status* builder_variable(percale_builder* builder, const char* name, percale_tensor* initial, int32_t trainable,
                                 percale_value* out_value) {
  return guarded(__func__, {NEEDS(builder), NEEDS(name), NEEDS(initial), NEEDS(out_value)}, [&]() -> Status {
    PERCALE_ASSIGN_OR_RETURN(*out_value, builder->variable(name, initial->tensor, trainable != 0));
    return {};
  });
}

percale_status* builder_node(percale_builder* builder, const char* op, int32_t version, const char* name) {
  percale_status* status = percale_builder_node(builder, op, name);
  if (status == nullptr) builder->pending->version = version;
  return status;
}

percale_status* builder_set_metadata(percale_builder* builder, const char* key, const char* value) {
  return guarded(__func__, {NEEDS(builder), NEEDS(key), NEEDS(value)}, [&]() -> Status {
    builder->builder->set_metadata(key, value);
    return {};
  });
}

Status check_host_path(const char* function, const percale_engine& engine, const char* path) {
  if (is_host_path(path, engine.engine->memory().get())) return {};
  return invalid_argument(function, ": '", path, "' is not a file of the host");
}

percale_status* builder_file_size(percale_engine* engine, const char* path, int64_t* out_size) {
  clear(out_size);
  return guarded("file_size", {NEEDS(engine), NEEDS(path), NEEDS(out_size)}, [&]() -> Status {
    PERCALE_RETURN_IF_ERROR(check_host_path("file_size", *engine, path));
    PERCALE_ASSIGN_OR_RETURN(*out_size, host_file_size(path, *engine->engine->memory()));
    return {};
  });
}

percale_status* builder_read_file(percale_engine* engine, const char* path, int64_t offset, void* buffer, size_t size) {
  return guarded("read_file", {NEEDS(engine), NEEDS(path), NEEDS(buffer)}, [&]() -> Status {
    PERCALE_RETURN_IF_ERROR(check_host_path("read_file", *engine, path));
    return read_host_file(path, *engine->engine->memory(), offset, buffer, static_cast<int64_t>(size));
  });
}

}  // namespace

constinit const percale_host_builder_api kHostBuilder = {
    .struct_size = sizeof(percale_host_builder_api),
    .engine = builder_engine,
    .knows_op = builder_knows_op,
    .set_metadata = builder_set_metadata,
    .begin_function = percale_builder_begin_function,
    .end_function = percale_builder_end_function,
    .input = builder_input,
    .constant = percale_builder_constant,
    .variable = builder_variable,
    .reserve_name = builder_reserve_name,
    .rename = percale_builder_rename,
    .value_type = percale_builder_value_type,
    .set_outputs = percale_builder_set_outputs,
    .node = builder_node,
    .add_input = percale_builder_add_input,
    .set_int = percale_builder_set_int,
    .set_float = percale_builder_set_float,
    .set_string = percale_builder_set_string,
    .set_ints = percale_builder_set_ints,
    .set_floats = percale_builder_set_floats,
    .set_strings = percale_builder_set_strings,
    .set_tensor = percale_builder_set_tensor,
    .set_function = percale_builder_set_function,
    .finish_node = percale_builder_finish_node,
    .file_size = builder_file_size,
    .read_file = builder_read_file,
};

}  // namespace percale::c_api
