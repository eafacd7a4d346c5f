/* Tests tensors over the caller's memory: it is read in place, released once, and rejected if it
 * does not fit. */
#include "check.h"

static int ended = 0;
static void end(void* user, void* data) {
  CHECK(user == &ended && data != NULL);
  ++ended;
}

static void memory_is_used_in_place_and_given_back_once(void) {
  float memory[6] = {1, 2, 3, 4, 5, 6};
  const int64_t dims[2] = {2, 3};
  percale_tensor* tensor = NULL;
  ended = 0;
  OK(percale_tensor_from_memory(PERCALE_DTYPE_F32, dims, 2, memory, sizeof memory, end, &ended, &tensor));
  CHECK(percale_tensor_get_data(tensor) == memory);
  CHECK(percale_tensor_dtype(tensor) == PERCALE_DTYPE_F32 && percale_tensor_rank(tensor) == 2);
  CHECK(percale_tensor_get_dims(tensor)[0] == 2 && percale_tensor_get_dims(tensor)[1] == 3);
  CHECK(percale_tensor_bytes(tensor) == sizeof memory && percale_tensor_element_count(tensor) == 6);
  CHECK(percale_tensor_retain(tensor) == tensor);
  percale_tensor_release(tensor);
  CHECK(ended == 0);
  percale_tensor_release(tensor);
  CHECK(ended == 1);
}

static void memory_that_does_not_fit_is_refused_and_kept(void) {
  float memory[6];
  int64_t dims[9] = {2, 3, 1, 1, 1, 1, 1, 1, 1};
  percale_tensor* tensor = NULL;
  ended = 0;
  FAILS(percale_tensor_from_memory(PERCALE_DTYPE_F32, dims, 2, memory, 23, end, &ended, &tensor),
        PERCALE_INVALID_ARGUMENT, "shape [2,3] needs 24 bytes, the memory has 23");
  FAILS(percale_tensor_from_memory(PERCALE_DTYPE_F32, dims, 2, (char*)memory + 1, 24, end, &ended, &tensor),
        PERCALE_INVALID_ARGUMENT, "not aligned");
  FAILS(percale_tensor_from_memory(99, dims, 2, memory, 24, end, &ended, &tensor), PERCALE_INVALID_ARGUMENT,
        "99 is no dtype");
  FAILS(percale_tensor_from_memory(PERCALE_DTYPE_F32, dims, 9, memory, 24, end, &ended, &tensor),
        PERCALE_INVALID_ARGUMENT, "rank 9");
  FAILS(percale_tensor_from_memory(PERCALE_DTYPE_STRING, dims, 2, memory, 24, end, &ended, &tensor),
        PERCALE_UNIMPLEMENTED, "string");
  dims[0] = -1;
  FAILS(percale_tensor_from_memory(PERCALE_DTYPE_F32, dims, 2, memory, 24, end, &ended, &tensor),
        PERCALE_INVALID_ARGUMENT, "known dims");
  dims[0] = INT64_MAX;
  FAILS(percale_tensor_from_memory(PERCALE_DTYPE_F32, dims, 2, memory, 24, end, &ended, &tensor),
        PERCALE_INVALID_ARGUMENT, "dim 0");
  dims[0] = dims[1] = (int64_t)1 << 40;
  FAILS(percale_tensor_from_memory(PERCALE_DTYPE_F32, dims, 2, memory, 24, end, &ended, &tensor),
        PERCALE_INVALID_ARGUMENT, "");
  REFUSES(percale_tensor_from_memory(PERCALE_DTYPE_F32, dims, 2, NULL, 24, end, &ended, &tensor), "data");
  REFUSES(percale_tensor_from_memory(PERCALE_DTYPE_F32, NULL, 2, memory, 24, end, &ended, &tensor), "dims");
  REFUSES(percale_tensor_from_memory(PERCALE_DTYPE_F32, dims, 2, memory, 24, end, &ended, NULL), "out_tensor");
  CHECK(tensor == NULL && ended == 0);
}

static void a_scalar_needs_no_dims(void) {
  double memory = 2.5;
  percale_tensor* tensor = NULL;
  OK(percale_tensor_from_memory(PERCALE_DTYPE_F64, NULL, 0, &memory, sizeof memory, NULL, NULL, &tensor));
  CHECK(percale_tensor_rank(tensor) == 0 && percale_tensor_element_count(tensor) == 1);
  percale_tensor_release(tensor);
}

static void getters_answer_nothing_for_no_tensor(void) {
  CHECK(percale_tensor_dtype(NULL) == PERCALE_DTYPE_INVALID && percale_tensor_rank(NULL) == 0);
  CHECK(percale_tensor_bytes(NULL) == 0 && percale_tensor_element_count(NULL) == 0);
  CHECK(percale_tensor_get_dims(NULL) != NULL && percale_tensor_get_data(NULL) == NULL);
  CHECK(percale_tensor_retain(NULL) == NULL);
  percale_tensor_release(NULL);
}

/* DLPack's public structs, as another library would define them. */
struct dl_tensor {
  void* data;
  int32_t device_type, device_id, ndim;
  uint8_t code, bits;
  uint16_t lanes;
  int64_t *shape, *strides;
  uint64_t byte_offset;
};
struct dl_managed {
  uint32_t major, minor;
  void* context;
  void (*deleter)(struct dl_managed* self);
  uint64_t flags;
  struct dl_tensor tensor;
};

static void dlpack_goes_there_and_back_without_a_copy(void) {
  int32_t memory[6] = {1, 2, 3, 4, 5, 6};
  const int64_t dims[2] = {3, 2};
  percale_tensor *tensor = NULL, *back = NULL;
  void* lent = NULL;
  struct dl_managed* managed;
  ended = 0;
  OK(percale_tensor_from_memory(PERCALE_DTYPE_I32, dims, 2, memory, sizeof memory, end, &ended, &tensor));
  OK(percale_tensor_to_dlpack(tensor, &lent));
  managed = (struct dl_managed*)lent;
  CHECK(managed->major == 1 && managed->tensor.data == memory && managed->tensor.ndim == 2);
  CHECK(managed->tensor.device_type == 1 && managed->tensor.code == 0 && managed->tensor.bits == 32);
  CHECK(managed->tensor.shape[0] == 3 && managed->tensor.strides[0] == 2 && managed->tensor.strides[1] == 1);
  percale_tensor_release(tensor);
  CHECK(ended == 0);
  OK(percale_tensor_from_dlpack(lent, &back));
  CHECK(percale_tensor_get_data(back) == memory && percale_tensor_dtype(back) == PERCALE_DTYPE_I32);
  percale_tensor_release(back);
  CHECK(ended == 1);
}

static int deleted = 0;
static void count_deleted(struct dl_managed* self) {
  CHECK(self->context == &deleted);
  ++deleted;
}

static void dlpack_that_cannot_be_taken_over_stays_the_callers(void) {
  float memory[6];
  int64_t dims[2] = {2, 3}, strides[2] = {1, 2};
  struct dl_managed managed;
  percale_tensor* tensor = NULL;
  memset(&managed, 0, sizeof managed);
  managed.major = 1;
  managed.context = &deleted;
  managed.deleter = count_deleted;
  managed.tensor.data = memory;
  managed.tensor.device_type = 1;
  managed.tensor.ndim = 2;
  managed.tensor.code = 2;
  managed.tensor.bits = 32;
  managed.tensor.lanes = 1;
  managed.tensor.shape = dims;
  managed.tensor.strides = strides;
  FAILS(percale_tensor_from_dlpack(&managed, &tensor), PERCALE_UNIMPLEMENTED, "row-major");
  managed.tensor.strides = NULL;
  managed.tensor.device_type = 2;
  FAILS(percale_tensor_from_dlpack(&managed, &tensor), PERCALE_UNIMPLEMENTED, "device type 2");
  managed.tensor.device_type = 1;
  managed.tensor.lanes = 4;
  FAILS(percale_tensor_from_dlpack(&managed, &tensor), PERCALE_UNIMPLEMENTED, "4 lanes");
  managed.tensor.lanes = 1;
  managed.major = 2;
  FAILS(percale_tensor_from_dlpack(&managed, &tensor), PERCALE_UNIMPLEMENTED, "version 2");
  managed.major = 1;
  managed.tensor.ndim = -1;
  FAILS(percale_tensor_from_dlpack(&managed, &tensor), PERCALE_INVALID_ARGUMENT, "rank -1");
  managed.tensor.ndim = 2;
  managed.tensor.data = NULL;
  FAILS(percale_tensor_from_dlpack(&managed, &tensor), PERCALE_INVALID_ARGUMENT, "no data");
  CHECK(deleted == 0 && tensor == NULL);
  dims[0] = 0;
  OK(percale_tensor_from_dlpack(&managed, &tensor));
  CHECK(percale_tensor_get_data(tensor) != NULL && percale_tensor_bytes(tensor) == 0);
  percale_tensor_release(tensor);
  CHECK(deleted == 1);
  REFUSES(percale_tensor_from_dlpack(NULL, &tensor), "managed");
  REFUSES(percale_tensor_from_dlpack(&managed, NULL), "out_tensor");
}

int main(void) {
  memory_is_used_in_place_and_given_back_once();
  memory_that_does_not_fit_is_refused_and_kept();
  a_scalar_needs_no_dims();
  getters_answer_nothing_for_no_tensor();
  dlpack_goes_there_and_back_without_a_copy();
  dlpack_that_cannot_be_taken_over_stays_the_callers();
  return check_done();
}
