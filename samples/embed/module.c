/* A module for a host, linked to Percale. It trains a small net and reports the digest of the
 * weights. Nothing remains when it has finished, so the host may close it.
 *   flags=$(pkg-config --cflags --libs percale)
 *   cc -shared -fPIC -fvisibility=hidden module.c -o module.so $flags */
#include "module.h"

#include <percale.h>
#include <stdio.h>

enum { ROWS = 64, IN = 16, OUT = 3 };

/* Jumps to `out` with the error in `status`. */
#define TRY(call)                 \
  do {                            \
    status = (call);              \
    if (status != NULL) goto out; \
  } while (0)

static const char kSpec[] =
    "{\"model\": [{\"layer\": \"Dense\", \"units\": 32, \"activation\": \"relu\"}, {\"layer\": \"Dense\", \"units\": "
    "3}],"
    " \"input_shape\": [16], \"loss\": \"sparse_categorical_crossentropy\", \"from_logits\": true, \"optimizer\": "
    "\"adam\","
    " \"shards\": 2, \"seed\": 3, \"batch_size\": 16, \"epochs\": 5}";

static percale_status* make_data(percale_engine* engine, percale_dataset** out_data) {
  const char* const names[2] = {"x", "y"};
  const int64_t x_dims[2] = {ROWS, IN}, y_dims[1] = {ROWS};
  percale_tensor* tensors[2] = {NULL, NULL};
  percale_status* status = NULL;
  int i, j;
  TRY(percale_tensor_create(engine, PERCALE_DTYPE_F32, x_dims, 2, &tensors[0]));
  TRY(percale_tensor_create(engine, PERCALE_DTYPE_I64, y_dims, 1, &tensors[1]));
  for (i = 0; i < ROWS; ++i) {
    float* x = (float*)percale_tensor_get_data(tensors[0]) + IN * i;
    for (j = 0; j < IN; ++j) x[j] = (float)((i * 7 + j * 5) % 11) / 11;
    ((int64_t*)percale_tensor_get_data(tensors[1]))[i] = i % OUT;
  }
  TRY(percale_dataset_from_tensors(engine, names, tensors, 2, out_data));
  TRY(percale_dataset_configure(*out_data, 16, 1, 0));
out:
  percale_tensor_release(tensors[0]);
  percale_tensor_release(tensors[1]);
  return status;
}

static int work(char* line, size_t room) {
  percale_options* options = NULL;
  percale_engine* engine = NULL;
  percale_dataset* data = NULL;
  percale_trainer* trainer = NULL;
  percale_variables* variables = NULL;
  percale_text* digest = NULL;
  percale_status* status = NULL;
  int failed;
  TRY(percale_options_create("engine", &options));
  TRY(percale_options_set_int(options, "threads", 2));
  TRY(percale_engine_create(options, &engine));
  TRY(make_data(engine, &data));
  TRY(percale_trainer_from_spec(engine, kSpec, sizeof kSpec - 1, NULL, NULL, NULL, &trainer));
  TRY(percale_trainer_fit(trainer, data, 0, NULL, NULL));
  TRY(percale_trainer_variables(trainer, &variables));
  TRY(percale_variables_digest(variables, &digest));
out:
  failed = status != NULL;
  snprintf(line, room, "%s", failed ? percale_status_message(status, NULL) : percale_text_data(digest, NULL));
  percale_status_release(status);
  percale_text_release(digest);
  percale_variables_release(variables);
  percale_trainer_release(trainer);
  percale_dataset_release(data);
  percale_engine_release(engine);
  percale_options_release(options);
  return failed;
}

#if defined(__GNUC__)
__attribute__((visibility("default")))
#endif
const work_module*
work_module_get(void);

const work_module* work_module_get(void) {
  static const work_module module = {percale_version, work};
  return &module;
}
