/**
 * @file percale/plugin/format.h
 * Model formats: how files of other projects become graphs, and graphs such files.
 */
#ifndef PERCALE_PLUGIN_FORMAT_H_
#define PERCALE_PLUGIN_FORMAT_H_

#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * @defgroup plugin_format Model formats
 * A format imports models into a graph builder and exports graphs as models. The functions
 * percale_graph_import(), percale_graph_export_file() and percale_tensor_import() find it by name.
 *
 * @code
 * static percale_format format;
 * format.struct_size = sizeof format;
 * format.name = "mine";
 * format.import_graph = import_graph;
 * @endcode
 * @{
 */

/** The destination of an exported model. Borrowed for the call. The library reports errors of
 * writing, so the functions return nothing. \since 0.1 */
typedef struct percale_export_target {
  uint32_t struct_size;
  void* user;
  /** Appends `size` bytes to the model. */
  void (*write)(void* user, const void* bytes, size_t size);
  /** Name of a second file beside the model for elements of tensors; NULL: there is none. */
  const char* data_name;
  /** Appends `size` bytes to the second file, which exists after the first call. */
  void (*write_data)(void* user, const void* bytes, size_t size);
  /** 0: elements go to the second file only if the model cannot hold them; 1: those of all larger
   * tensors do. */
  int32_t prefer_data;
} percale_export_target;

/** A model format. Functions may be called by several threads at once. A NULL function: the format
 * does not do that. \since 0.1 */
typedef struct percale_format {
  uint32_t struct_size;
  /** Name of the format: "onnx". */
  const char* name;
  /** Passed to the functions below. */
  void* user;
  /** Fills the function "main" of `builder`, and what it needs, from `size` bytes of a model.
   * `folder` is the only folder in which files that the model names may be opened; NULL: none. If
   * it begins with "host:", percale_host_builder_api reads them. */
  percale_status* (*import_graph)(void* user, percale_builder* builder, const void* bytes, size_t size,
                                  const char* folder);
  /** Writes a model that computes what "main" computes. The variables of `graph` have the values
   * that the model shall have. */
  percale_status* (*export_graph)(void* user, const percale_graph* graph, const percale_export_target* target);
  /** Makes a tensor from `size` bytes of the format's own tensor file (ONNX: a TensorProto), in the
   * memory of `engine`. The caller releases `*out_tensor`. */
  percale_status* (*import_tensor)(void* user, percale_engine* engine, const void* bytes, size_t size,
                                   percale_tensor** out_tensor);
} percale_format;

/** @} */

#ifdef __cplusplus
}
#endif

#endif /* PERCALE_PLUGIN_FORMAT_H_ */
