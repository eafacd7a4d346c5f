#include <percale.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static void ok(percale_status* status) {
  if (status == NULL) return;
  fprintf(stderr, "%s\n", percale_status_message(status, NULL));
  percale_status_release(status);
  exit(1);
}

static char* read_text(const char* path, size_t* out_size) {
  char* text = malloc(1 << 16);
  FILE* file = fopen(path, "rb");
  if (file == NULL || text == NULL) perror(path), exit(1);
  *out_size = fread(text, 1, 1 << 16, file);
  fclose(file);
  return text;
}

static void* train(void* trainer) {
  ok(percale_trainer_fit(trainer, NULL, 0, NULL, NULL));
  return NULL;
}

int main(void) {
  size_t size;
  char* spec = read_text("digits.json", &size);
  percale_engine* engine;
  percale_options* options;
  percale_trainer* trainer;
  percale_graph* model;
  percale_variables* variables;
  percale_session* session;
  percale_call* call;
  percale_tensor *image, *scores;
  pthread_t thread;

  const percale_dtype dtype = PERCALE_DTYPE_F32;
  const int64_t in_dims[] = {1, 28, 28}, *dims = in_dims, out_dims[] = {1, 10};
  const size_t rank = 3;
  ok(percale_engine_create(NULL, &engine));
  ok(percale_options_create("trainer", &options));
  ok(percale_options_set(options, "publish", "step"));

  /* --8<-- [start:serve] */
  ok(percale_trainer_from_spec(engine, spec, size, ".", NULL, options, &trainer));
  ok(percale_trainer_model(trainer, &model));         /* the inference graph: no loss, no Dropout */
  ok(percale_trainer_variables(trainer, &variables)); /* the table that is published to */
  ok(percale_session_create(engine, model, variables, NULL, &session));

  const char* input = percale_graph_get_input_name(model, 0);
  const char* output = percale_graph_get_output_name(model, 0);
  /* One call per thread. */
  ok(percale_call_create(session, &input, &dtype, &dims, &rank, 1, &output, 1, &call));
  ok(percale_tensor_create(engine, PERCALE_DTYPE_F32, in_dims, 3, &image));
  ok(percale_tensor_create(engine, PERCALE_DTYPE_F32, out_dims, 2, &scores));

  /* train() calls percale_trainer_fit(). */
  if (pthread_create(&thread, NULL, train, trainer) != 0) return 1;
  for (int request = 0; request < 100; ++request) ok(percale_call_run(call, &image, &scores));
  pthread_join(thread, NULL);
  ok(percale_call_run(call, &image, &scores));
  printf("answered by version %lld\n", (long long)percale_call_variables_version(call));
  /* --8<-- [end:serve] */

  percale_tensor_release(image), percale_tensor_release(scores), percale_call_release(call);
  percale_session_release(session), percale_variables_release(variables), percale_graph_release(model);
  percale_trainer_release(trainer), percale_options_release(options), percale_engine_release(engine);
  free(spec);
  return 0;
}
