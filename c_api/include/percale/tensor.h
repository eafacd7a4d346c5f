/**
 * @file percale/tensor.h
 * Tensors: memory with an element type and a shape.
 */
#ifndef PERCALE_TENSOR_H_
#define PERCALE_TENSOR_H_

#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * @defgroup tensor Tensors
 * A tensor is row-major memory with an element type and a shape. It can own its memory, or borrow
 * memory of the caller without a copy.
 *
 * @code
 * float values[6] = {1, 2, 3, 4, 5, 6};
 * const int64_t dims[2] = {2, 3};
 * percale_tensor* x = NULL;
 * status = percale_tensor_from_memory(PERCALE_DTYPE_F32, dims, 2, values, sizeof values, NULL,
 *                                     NULL, &x);
 * @endcode
 * @{
 */

/** Creates a tensor in the memory of the engine, 64-byte aligned and filled with zeros. `dims`:
 * `rank` sizes, each 0 or more; the rank is at most 8. RESOURCE_EXHAUSTED: beyond the memory
 * limit, or out of memory. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_tensor_create(percale_engine* engine, percale_dtype dtype,
                                                                    const int64_t* dims, size_t rank,
                                                                    percale_tensor** out_tensor);

/** Type of a function that frees memory that a tensor borrowed. It is called once, within a
 * release, run or wait of the host. It may release other objects; a function that returns a status
 * answers FAILED_PRECONDITION within it. \since 0.1 */
typedef void (*percale_deleter)(void* user, void* data);

/** Makes a tensor over memory of the caller, without a copy. `data` is row-major and has `bytes`
 * bytes, which must suffice for the shape. It must stay valid and unchanged until `deleter(user,
 * data)` is called. `deleter` (may be NULL) is not called if this function fails.
 * INVALID_ARGUMENT: too few bytes, or memory that is not aligned to an element. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_tensor_from_memory(percale_dtype dtype, const int64_t* dims,
                                                                         size_t rank, void* data, size_t bytes,
                                                                         percale_deleter deleter, void* user,
                                                                         percale_tensor** out_tensor);

/** Gives a DLManagedTensorVersioned* of DLPack over the memory of the tensor, which it keeps alive.
 * The caller must call its deleter. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_tensor_to_dlpack(percale_tensor* tensor, void** out_managed);

/** Takes over a DLManagedTensorVersioned*. UNIMPLEMENTED: it is not row-major or not in host
 * memory; then the caller keeps it. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_tensor_from_dlpack(void* managed, percale_tensor** out_tensor);

/** Reads a NumPy .npy file. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_tensor_load(percale_engine* engine, const char* path,
                                                                  percale_tensor** out_tensor);

/** Makes a tensor from `size` bytes of another format, which a plug-in imports ("onnx": a
 * TensorProto). UNIMPLEMENTED names the formats that are there. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_tensor_import(percale_engine* engine, const char* format,
                                                                    const void* bytes, size_t size,
                                                                    percale_tensor** out_tensor);

/** Writes a NumPy .npy file, completely or not at all. \since 0.1 */
PERCALE_API PERCALE_NODISCARD percale_status* percale_tensor_save(const percale_tensor* tensor, const char* path);

/** Adds a reference and returns `tensor`. NULL is allowed and returned. \since 0.1 */
PERCALE_API percale_tensor* percale_tensor_retain(percale_tensor* tensor);

/** Releases a reference. With the last one, borrowed memory goes to its deleter. NULL is allowed.
 * \since 0.1 */
PERCALE_API void percale_tensor_release(percale_tensor* tensor);

/** Returns the element type; 0 for NULL. \since 0.1 */
PERCALE_API percale_dtype percale_tensor_dtype(const percale_tensor* tensor);

/** Returns the number of dims; 0 for NULL. \since 0.1 */
PERCALE_API size_t percale_tensor_rank(const percale_tensor* tensor);

/** Returns the dims, borrowed. Never NULL, not even for a NULL tensor. \since 0.1 */
PERCALE_API const int64_t* percale_tensor_get_dims(const percale_tensor* tensor);

/** Returns the size of the elements in bytes; 0 for NULL. \since 0.1 */
PERCALE_API size_t percale_tensor_bytes(const percale_tensor* tensor);

/** Returns the number of elements; 0 for NULL. \since 0.1 */
PERCALE_API int64_t percale_tensor_element_count(const percale_tensor* tensor);

/** Returns the elements, row-major and borrowed. Not NULL, except for a NULL tensor. Only the sole
 * user of a tensor may write to them. \since 0.1 */
PERCALE_API void* percale_tensor_get_data(const percale_tensor* tensor);

/** @} */

#ifdef __cplusplus
}
#endif

#endif /* PERCALE_TENSOR_H_ */
