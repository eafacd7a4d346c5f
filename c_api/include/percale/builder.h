/**
 * @file percale/builder.h
 * Building graphs.
 */
#ifndef PERCALE_BUILDER_H_
#define PERCALE_BUILDER_H_

#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * @defgroup builder Building a graph
 * A builder adds inputs, constants, variables, nodes and layers to the current function, and then
 * gives an immutable graph. A node is started, gets its inputs and attributes, and is finished;
 * shapes are inferred at once.
 *
 * @code
 * percale_value x, w, y;
 * status = percale_builder_input(builder, "x", PERCALE_DTYPE_F32, dims, 2, &x);
 * if (status == NULL) status = percale_builder_variable(builder, "w", weights, &w);
 * if (status == NULL) status = percale_builder_node(builder, "MatMul", "y");
 * if (status == NULL) status = percale_builder_add_input(builder, x);
 * if (status == NULL) status = percale_builder_add_input(builder, w);
 * if (status == NULL) status = percale_builder_finish_node(builder, 1, &y);
 * if (status == NULL) status = percale_builder_set_outputs(builder, &y, 1);
 * if (status == NULL) status = percale_builder_finish(builder, &graph);
 * @endcode
 * @{
 */

/** Creates a builder of an empty graph. Its current function is "main". \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_builder_create(percale_engine* engine,
                                                                     percale_builder** out_builder);

/** Creates a builder that continues a copy of a finished graph. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_builder_from_graph(percale_engine* engine,
                                                                         const percale_graph* graph,
                                                                         percale_builder** out_builder);

/** Releases the builder. NULL is allowed. \since 0.1 */
PERCALE_API void percale_builder_release(percale_builder* builder);

/** Finds a value of the current function by its name, to continue a graph. NOT_FOUND names a
 * similar value. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_builder_find_value(percale_builder* builder, const char* name,
                                                                         percale_value* out_value);

/** Adds the next input of the current function, a value that runs feed. `dims`: `rank` sizes, -1
 * where unknown. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_builder_input(percale_builder* builder, const char* name,
                                                                    percale_dtype dtype, const int64_t* dims,
                                                                    size_t rank, percale_value* out_value);

/** Adds a constant. The tensor is shared, not copied. `name` may be NULL. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_builder_constant(percale_builder* builder, const char* name,
                                                                       percale_tensor* tensor,
                                                                       percale_value* out_value);

/** Adds a trainable variable whose initial value is `initial`. `*out_value` reads it. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_builder_variable(percale_builder* builder, const char* name,
                                                                       percale_tensor* initial,
                                                                       percale_value* out_value);

/** Adds a trainable variable whose initial value is drawn, with the seed that
 * percale_variables_create() gets. `initializer` is "zeros", "ones", "glorot_uniform",
 * "glorot_normal", "he_uniform", "he_normal", "lecun_normal", "random_uniform", "random_normal" or
 * "orthogonal". \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_builder_variable_initialized(
    percale_builder* builder, const char* name, percale_dtype dtype, const int64_t* dims, size_t rank,
    const char* initializer, percale_value* out_value);

/** Starts a node of an op, such as "Conv", "percale:ApplyAdam", or "sample:Square" of a plug-in.
 * Inputs and attributes follow, then percale_builder_finish_node(), which looks up the op. The
 * first output of a node has the name of the node, by which runs feed and fetch it. Further outputs
 * are called NAME:1, NAME:2, and so on. `name` may be NULL: the builder chooses one.
 * \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_builder_node(percale_builder* builder, const char* op,
                                                                   const char* name);

/** Starts a layer, which is a composite such as "Dense" or "Conv2D" with the attributes of Keras;
 * percale_engine_describe() lists them. The output has the name of the layer. `name` may be NULL:
 * the builder chooses one. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_builder_layer(percale_builder* builder, const char* layer,
                                                                    const char* name);

/** Adds the next input of the started node or layer; PERCALE_NO_VALUE for an optional input that is
 * absent. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_builder_add_input(percale_builder* builder, percale_value value);

/** Sets an attribute of the started node or layer to a whole number. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_builder_set_int(percale_builder* builder, const char* attribute,
                                                                      int64_t value);

/** Sets an attribute to a number. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_builder_set_float(percale_builder* builder, const char* attribute,
                                                                        double value);

/** Sets an attribute to a text. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_builder_set_string(percale_builder* builder,
                                                                         const char* attribute, const char* value);

/** Sets an attribute to a list of whole numbers. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_builder_set_ints(percale_builder* builder, const char* attribute,
                                                                       const int64_t* values, size_t count);

/** Sets an attribute to a list of numbers. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_builder_set_floats(percale_builder* builder,
                                                                         const char* attribute, const double* values,
                                                                         size_t count);

/** Sets an attribute to a list of texts. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_builder_set_strings(percale_builder* builder,
                                                                          const char* attribute,
                                                                          const char* const* values, size_t count);

/** Sets an attribute to a tensor, which is shared and not copied. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_builder_set_tensor(percale_builder* builder,
                                                                         const char* attribute, percale_tensor* value);

/** Sets an attribute to a function of the graph: a branch of If, the body of Loop. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_builder_set_function(percale_builder* builder,
                                                                           const char* attribute, const char* function);

/** Finishes the started node or layer: checks it, infers shapes, and gives its outputs. A layer has
 * one. After an error the node is dropped and the builder is as before percale_builder_node().
 * `out_values` may be NULL if `output_count` is 0. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_builder_finish_node(percale_builder* builder, size_t output_count,
                                                                          percale_value* out_values);

/** Starts a new function. Everything that follows goes into it, until
 * percale_builder_end_function(). Functions nest. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_builder_begin_function(percale_builder* builder,
                                                                             const char* name);

/** Ends the function that percale_builder_begin_function() started. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_builder_end_function(percale_builder* builder);

/** Sets the outputs of the current function. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_builder_set_outputs(percale_builder* builder,
                                                                          const percale_value* values, size_t count);

/** Gives a value of the current function another name, by which runs feed and fetch it.
 * ALREADY_EXISTS: the name is taken. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_builder_rename(percale_builder* builder, percale_value value,
                                                                     const char* name);

/** Gives element type, dims (-1 where unknown) and rank of a value; the rank is SIZE_MAX if
 * unknown. `out_dims` has room for 8. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_builder_value_type(const percale_builder* builder,
                                                                         percale_value value, percale_dtype* out_dtype,
                                                                         int64_t* out_dims, size_t* out_rank);

/** Sets the device hint of the nodes that follow; "" ends it. The name of a device ("cuda:0")
 * places them there; a session that cannot do so fails, unless its option "soft_placement" is on.
 * "colocate:NAME" places them on the device of the node NAME, or of the nodes that read and assign
 * the variable NAME. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_builder_set_device(percale_builder* builder, const char* device);

/** Makes the node of `after` run only when the node of `before` has run. An op on a queue
 * ("percale:QueueEnqueue") is ordered by this; it runs only if it is needed otherwise or is a
 * target. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_builder_control_dependency(percale_builder* builder,
                                                                                 percale_value before,
                                                                                 percale_value after);

/** Adds nodes that compute the gradients of the sum of `ys` with respect to each of `xs`.
 * UNIMPLEMENTED names an op without a gradient. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_builder_gradients(percale_builder* builder,
                                                                        const percale_value* ys, size_t y_count,
                                                                        const percale_value* xs, size_t x_count,
                                                                        percale_value* out_gradients);

/** Adds the work of one training step: gradients of the scalar `loss` for every trainable variable
 * that it reads, and an optimizer that assigns them. `optimizer` is a name ("adam") or JSON
 * ({"name":"adam","learning_rate":0.001}). Running the target `*out_target_name` ("train_step",
 * borrowed from the builder) does one step. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_builder_minimize(percale_builder* builder, percale_value loss,
                                                                       const char* optimizer,
                                                                       const char** out_target_name);

/** Validates the graph and gives it. The builder is left empty. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_builder_finish(percale_builder* builder,
                                                                     percale_graph** out_graph);

/** @} */

#ifdef __cplusplus
}
#endif

#endif /* PERCALE_BUILDER_H_ */
