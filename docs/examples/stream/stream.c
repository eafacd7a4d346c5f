#include <percale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void ok(percale_status* status) {
  if (status == NULL) return;
  fprintf(stderr, "%s\n", percale_status_message(status, NULL));
  percale_status_release(status);
  exit(1);
}

/* --8<-- [start:stream] */
struct source {
  FILE* file;
  int64_t next; /* number of the row that the file gives next */
};

/* Reads rows from the lines of a file, from its start in each epoch. */
static percale_status* read_rows(void* user, int64_t epoch, int64_t first_row, int64_t max_rows, void* const* columns,
                                 int64_t* out_rows) {
  static const char cannot[] = "the file is read from its start";
  struct source* source = user;
  float *x = columns[0], *y = columns[1];
  int64_t rows = 0;
  (void)epoch;
  if (first_row == 0) rewind(source->file), source->next = 0;
  if (first_row != source->next) return percale_status_create(PERCALE_UNIMPLEMENTED, cannot, strlen(cannot));
  while (rows < max_rows && fscanf(source->file, "%f %f", &x[rows], &y[rows]) == 2) ++rows;
  source->next += rows;
  *out_rows = rows; /* 0 ends the epoch */
  return NULL;
}

static percale_dataset* lines(percale_engine* engine, struct source* source) {
  const char* const names[] = {"x", "y"};
  const percale_dtype dtypes[] = {PERCALE_DTYPE_F32, PERCALE_DTYPE_F32};
  const int64_t one = 1, *const dims[] = {&one, &one}; /* of one row */
  const size_t ranks[] = {1, 1};
  percale_dataset* data;
  ok(percale_dataset_stream(engine, names, dtypes, dims, ranks, 2, read_rows, source, NULL, &data));
  ok(percale_dataset_configure(data, 32, -1, 0)); /* batches of 32 rows */
  return data;
}
/* --8<-- [end:stream] */

int main(void) {
  static const char spec[] =
      "{\"model\": [{\"layer\": \"Dense\", \"units\": 1}], \"input_shape\": [1], \"loss\": \"mse\","
      " \"optimizer\": {\"name\": \"adam\", \"learning_rate\": 0.05}}";
  struct source source = {fopen("points.txt", "w+"), 0};
  percale_engine* engine;
  percale_trainer* trainer;
  percale_dataset* data;
  percale_text* result; /* {"loss":...} */
  if (source.file == NULL) return perror("points.txt"), 1;
  for (int i = 0; i < 1000; ++i) fprintf(source.file, "%g %g\n", i / 1000.0, 2 * (i / 1000.0) - 1);
  ok(percale_engine_create(NULL, &engine));
  ok(percale_trainer_from_spec(engine, spec, strlen(spec), NULL, NULL, NULL, &trainer));
  data = lines(engine, &source);
  ok(percale_trainer_fit(trainer, data, 20, NULL, NULL));
  ok(percale_trainer_evaluate(trainer, data, &result));
  printf("it learns: %d\n", strtod(strchr(percale_text_data(result, NULL), ':') + 1, NULL) < 0.001);
  percale_text_release(result);
  percale_dataset_release(data);
  percale_trainer_release(trainer);
  percale_engine_release(engine);
  return fclose(source.file);
}
