/**
 * @file percale/graph.h
 * Graphs and variables, in memory and in files.
 */
#ifndef PERCALE_GRAPH_H_
#define PERCALE_GRAPH_H_

#include "tensor.h"
#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * @defgroup graph Graphs
 * A graph is immutable and may be used by any number of sessions and trainers. It is loaded from a
 * .percale file, imported from a model of another format, or built.
 *
 * @code
 * percale_graph* graph = NULL;
 * status = percale_graph_import(engine, "onnx", "model.onnx", &graph);
 * if (status == NULL) status = percale_graph_save_file(graph, NULL, "model.percale");
 * @endcode
 * @{
 */

/** Makes a graph from `size` bytes of a .percale file. They are copied as far as they must outlive
 * the call. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_graph_load(percale_engine* engine, const void* bytes, size_t size,
                                                                 percale_graph** out_graph);

/** Makes a graph over `bytes` bytes of a .percale file in memory of the caller, without a copy of
 * the weights. The memory must stay valid and unchanged until `deleter(user, data)` is called,
 * which happens when the last object is gone that uses the weights: graphs, variables, sessions,
 * tensors. `deleter` (may be NULL) is not called if this function fails.
 *
 * `data` must be 64-byte aligned, as every page and mapping is. Otherwise everything is copied, and
 * `deleter` is called before this function returns. `out_copied` (may be NULL) receives the number
 * of bytes that were copied. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_graph_from_memory(percale_engine* engine, void* data,
                                                                        size_t bytes, percale_deleter deleter,
                                                                        void* user, int64_t* out_copied,
                                                                        percale_graph** out_graph);

/** Makes a graph from a .percale file.
 *
 * If the engine's option "map_files" is on, as it is by default, the weights are mapped and not
 * read. The file may then be replaced by a rename, or removed; it must not be truncated or written
 * to while the graph lives. This holds for all mapped files, also for weights in safetensors files
 * and for files of data sets. A truncated file is DATA_LOSS if Percale notices it before it reads
 * (batches of data sets, loaded tensors); in the middle of a run the system ends the process
 * (SIGBUS). With "map_files" off, files are read into the memory of the engine and may change.
 * \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_graph_load_file(percale_engine* engine, const char* path,
                                                                      percale_graph** out_graph);

/** Reads a file or folder and returns the first error in it. The name chooses the reader: .npy,
 * .npz, .safetensors, .onnx (needs its plug-in), .json (a SPEC). A folder is a checkpoint or holds
 * checkpoints, whose checksums are compared. Any other file is read as .percale. Thread-safe.
 * \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_file_check(percale_engine* engine, const char* path);

/** Makes a graph from a model of another format ("onnx"), which a plug-in imports. UNIMPLEMENTED
 * names the formats that are there. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_graph_import(percale_engine* engine, const char* format,
                                                                   const char* path, percale_graph** out_graph);

/** As percale_graph_import(), from `size` bytes. The model cannot refer to other files.
 * \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_graph_import_bytes(percale_engine* engine, const char* format,
                                                                         const void* bytes, size_t size,
                                                                         percale_graph** out_graph);

/** Writes a .percale file, completely or not at all. With `variables` (may be NULL) their values
 * become the initial values in the file. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_graph_save_file(const percale_graph* graph,
                                                                      const percale_variables* variables,
                                                                      const char* path);

/** Gives the bytes that percale_graph_save_file() would write. `variables` may be NULL.
 * \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_graph_serialize(const percale_graph* graph,
                                                                      const percale_variables* variables,
                                                                      percale_text** out_bytes);

/** Writes a model of another format ("onnx") through a plug-in, completely or not at all. It
 * computes what "main" computes; nodes that no output depends on are left out, also those that
 * change variables. `variables` (may be NULL) gives the values of variables; without it they have
 * the initial values of the graph. `options` of kind "export", or NULL. UNIMPLEMENTED names all
 * ops that the format does not have, or the formats that are there. FAILED_PRECONDITION: a
 * variable has no value. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_graph_export(percale_engine* engine, const percale_graph* graph,
                                                                   const percale_variables* variables,
                                                                   const char* format, const percale_options* options,
                                                                   const char* path);

/** Gives the bytes that percale_graph_export() would write. RESOURCE_EXHAUSTED: the format needs a
 * second file for that many. `variables` may be NULL. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_graph_export_bytes(percale_engine* engine,
                                                                         const percale_graph* graph,
                                                                         const percale_variables* variables,
                                                                         const char* format, percale_text** out_bytes);

/** Adds a reference and returns `graph`. NULL is allowed and returned. \since 0.1 */
PERCALE_API percale_graph* percale_graph_retain(percale_graph* graph);

/** Releases a reference. NULL is allowed. \since 0.1 */
PERCALE_API void percale_graph_release(percale_graph* graph);

/** Returns the name of an input of "main", in order; NULL past the end. Borrowed. \since 0.1 */
PERCALE_API const char* percale_graph_get_input_name(const percale_graph* graph, size_t index);

/** Returns the name of an output of "main", in order; NULL past the end. Borrowed. \since 0.1 */
PERCALE_API const char* percale_graph_get_output_name(const percale_graph* graph, size_t index);

/** Gives element type, dims (-1 where unknown) and rank of a value of "main": an input, an output,
 * or an inner value, which can be fed and fetched as well. The rank is SIZE_MAX if unknown.
 * `out_dims` has room for 8. NOT_FOUND names a similar value. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_graph_value_type(const percale_graph* graph, const char* name,
                                                                       percale_dtype* out_dtype, int64_t* out_dims,
                                                                       size_t* out_rank);

/** Makes a graph with other dims of its inputs. Each of `dims` is "NAME=SIZE", "NAME=?" (any size)
 * or "INPUT:AXIS=SIZE". Models keep the names that their files have for dims. If no dim is called
 * "batch", that name means the first dim of the first input, and the first dim of every other
 * input of the same size. Types of inner values follow, and constant shapes that contain a freed
 * dim are adapted. NOT_FOUND names a similar dim. INVALID_ARGUMENT names the first node that only
 * works for another size. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_graph_with_dims(const percale_graph* graph,
                                                                      const char* const* dims, size_t count,
                                                                      percale_graph** out_graph);

/** Describes the graph as JSON. `what`: "summary" (functions, inputs, outputs, variables, op
 * counts, parameters, bytes, metadata) or "nodes". \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_graph_describe(const percale_graph* graph, const char* what,
                                                                     percale_text** out_text);

/** Draws the graph. `format`: "svg" is a picture of "main", at most 4000 pixels high, in which
 * equal blocks are drawn once; "html" is one page with all functions that needs no network and
 * lets the reader move, zoom, search and fold. Nodes show the times of `trace`, the JSON of
 * percale_trace_json(); `trace` may be NULL. INVALID_ARGUMENT: another format, or a `trace` that
 * is none. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_graph_draw(const percale_graph* graph, const char* format,
                                                                 const char* trace, percale_text** out_text);

/** @} */

/**
 * @defgroup variables Variables
 * The table of the variables of a graph. Every change publishes a new version, atomically; a run
 * uses the version that was the newest when it started.
 *
 * @code
 * percale_variables* variables = NULL;
 * status = percale_variables_create(engine, graph, 42, &variables);
 * if (status == NULL) status = percale_variables_load(variables, "weights.safetensors", 1);
 * @endcode
 * @{
 */

/** Creates a table with the initial values of the variables of the graph. It also owns the queues
 * and mutexes of all sessions and trainers that use it. `seed` is for initializers, which run on
 * the CPU device of the engine; FAILED_PRECONDITION: there are initializers and no such device.
 * \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_variables_create(percale_engine* engine,
                                                                       const percale_graph* graph, int64_t seed,
                                                                       percale_variables** out_variables);

/** Adds a reference and returns `variables`. NULL is allowed and returned. \since 0.1 */
PERCALE_API percale_variables* percale_variables_retain(percale_variables* variables);

/** Releases a reference. NULL is allowed. \since 0.1 */
PERCALE_API void percale_variables_release(percale_variables* variables);

/** Returns the number of variables; 0 for NULL. \since 0.1 */
PERCALE_API size_t percale_variables_count(const percale_variables* variables);

/** Returns the name of a variable, in ascending order; NULL past the end. Borrowed. \since 0.1 */
PERCALE_API const char* percale_variables_get_name(const percale_variables* variables, size_t index);

/** Gives the value in the newest version, as a tensor that never changes. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_variables_value(const percale_variables* variables,
                                                                      const char* name, percale_tensor** out_tensor);

/** Publishes a new version with this value. INVALID_ARGUMENT: another element type or shape.
 * \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_variables_assign(percale_variables* variables, const char* name,
                                                                       const percale_tensor* value);

/** Returns the number of the newest version, from 1 on. \since 0.1 */
PERCALE_API int64_t percale_variables_version(const percale_variables* variables);

/** Gives "sha256:..." over names, element types, shapes and little-endian bytes of all parameters
 * in the order of names, without the slots of optimizers. It is the same in every language.
 * \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_variables_digest(const percale_variables* variables,
                                                                       percale_text** out_digest);

/** Takes values from a safetensors file: each tensor whose name is that of a variable. NOT_FOUND:
 * `strict` is not 0 and a variable is missing. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_variables_load(percale_variables* variables, const char* path,
                                                                     int32_t strict);

/** As percale_variables_load(), from `bytes` bytes of a safetensors file in memory of the caller,
 * without a copy of tensors that are 64-byte aligned there. The memory must stay valid and
 * unchanged until `deleter(user, data)` is called, which happens when no value lies in it any more,
 * perhaps before this function returns. `deleter` (may be NULL) is not called if this function
 * fails. `out_copied` (may be NULL) receives the number of bytes that were copied. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_variables_load_memory(percale_variables* variables, void* data,
                                                                            size_t bytes, percale_deleter deleter,
                                                                            void* user, int32_t strict,
                                                                            int64_t* out_copied);

/** Takes values of another model. A variable that matches `to[i]` takes the tensor whose name
 * matches `from[i]`. Each pattern has at most one '*', which stands for the same characters in
 * both ("enc.*", "dec.*"). If `from[i]` is "", the variable keeps its value. The first of `count`
 * patterns that matches counts; all other variables take the tensor of their own name, if there is
 * one. `path` is a safetensors file, a checkpoint step-N, or a folder of them, whose newest is
 * taken. `out_loaded` (may be NULL) receives the number of variables that took a value. NOT_FOUND:
 * a tensor that a pattern asks for is missing, or `strict` is not 0 and a variable took no value.
 * INVALID_ARGUMENT: another element type or shape. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_variables_load_mapped(percale_variables* variables,
                                                                            const char* path, const char* const* from,
                                                                            const char* const* to, size_t count,
                                                                            int32_t strict, int64_t* out_loaded);

/** Writes the newest version as a safetensors file, completely or not at all. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_variables_save(const percale_variables* variables,
                                                                     const char* path);

/** @} */

#ifdef __cplusplus
}
#endif

#endif /* PERCALE_GRAPH_H_ */
