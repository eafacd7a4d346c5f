/* Takes a model that classifies digits, keeps its body, and trains a new head that tells whether
 * a digit is odd.
 *   fine_tune MODEL.percale IMAGES LABELS TEST_IMAGES TEST_LABELS
 * MODEL was written by mnist; the files are MNIST's. The body is frozen: its variables have the
 * same bits after the training. */
#include <percale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void ok(percale_status* status) {
  if (status == NULL) return;
  fprintf(stderr, "fine_tune: %s: %s\n", percale_code_name(percale_status_code(status)),
          percale_status_message(status, NULL));
  percale_status_release(status);
  exit(1);
}

/* Adds a constant of whole numbers. The graph uses the caller's memory, which must stay valid. */
static percale_value whole_numbers(percale_builder* builder, int64_t* values, int64_t count) {
  percale_tensor* tensor;
  percale_value out;
  ok(percale_tensor_from_memory(PERCALE_DTYPE_I64, &count, 1, values, (size_t)count * sizeof *values, NULL, NULL,
                                &tensor));
  ok(percale_builder_constant(builder, NULL, tensor, &out));
  percale_tensor_release(tensor);
  return out;
}

static percale_value binary(percale_builder* builder, const char* op, const char* name, percale_value a,
                            percale_value b) {
  percale_value out;
  ok(percale_builder_node(builder, op, name));
  ok(percale_builder_add_input(builder, a));
  ok(percale_builder_add_input(builder, b));
  ok(percale_builder_finish_node(builder, 1, &out));
  return out;
}

/* Returns images with the label 0 or 1 instead of the digit. Rows pass through a small graph
 * whose inputs are the columns of the files and whose outputs are the columns of the new set. */
static percale_dataset* parity(percale_engine* engine, const char* images, const char* labels, int64_t batch,
                               int64_t shuffle) {
  static int64_t image[4] = {-1, 28, 28, 1}, two[1] = {2};
  const char *const names[] = {"pixels", "digit"}, *const files[] = {images, labels};
  percale_dataset *digits, *out;
  percale_builder* builder;
  percale_graph* graph;
  percale_value columns[2], made[2], number;
  percale_dtype dtype;
  int64_t dims[9];
  size_t rank, i;

  ok(percale_dataset_from_files(engine, names, files, 2, 1.0 / 255, NULL, &digits));
  ok(percale_builder_create(engine, &builder));
  for (i = 0; i < 2; ++i) {
    dims[0] = -1; /* the number of rows is unknown */
    ok(percale_dataset_column_type(digits, i, &dtype, dims + 1, &rank));
    ok(percale_builder_input(builder, names[i], dtype, dims, rank + 1, &columns[i]));
  }
  made[0] = binary(builder, "Reshape", "x", columns[0], whole_numbers(builder, image, 4));
  ok(percale_builder_node(builder, "Cast", NULL));
  ok(percale_builder_add_input(builder, columns[1]));
  ok(percale_builder_set_int(builder, "to", PERCALE_DTYPE_I64));
  ok(percale_builder_finish_node(builder, 1, &number));
  made[1] = binary(builder, "Mod", "y", number, whole_numbers(builder, two, 1));
  ok(percale_builder_set_outputs(builder, made, 2));
  ok(percale_builder_finish(builder, &graph));
  ok(percale_dataset_map(digits, graph, &out));
  ok(percale_dataset_configure(out, batch, shuffle, 0));
  percale_graph_release(graph);
  percale_builder_release(builder);
  percale_dataset_release(digits);
  return out;
}

/* Returns a variable of the frozen part with its current value. */
static percale_tensor* body(percale_trainer* trainer) {
  percale_variables* variables;
  percale_tensor* kernel;
  ok(percale_trainer_variables(trainer, &variables));
  ok(percale_variables_value(variables, "dense/kernel", &kernel));
  percale_variables_release(variables);
  return kernel;
}

static int32_t on_step(void* user, const percale_progress* p) {
  (void)user;
  if (p->step % 100 == 0) printf("step %4d  loss %.4f\n", (int)p->step, p->loss);
  return 0;
}

/* Writes a SPEC whose new head takes the model's value "dense". Only the head is trained. */
static char* spec_of(const char* model) {
  /* --8<-- [start:tune] */
  static const char rest[] =
      "\", \"outputs\": [\"dense\"], \"freeze\": [\"conv2d*\", \"dense/*\"],"
      " \"head\": [{\"layer\": \"Dense\", \"name\": \"parity\", \"units\": 2}],"
      " \"loss\": \"sparse_categorical_crossentropy\", \"from_logits\": true, \"metrics\": [\"accuracy\"],"
      " \"optimizer\": \"adam\"}";
  /* --8<-- [end:tune] */
  static const char begin[] = "{\"model\": \"";
  char *out = malloc(sizeof begin + 2 * strlen(model) + sizeof rest), *end;
  if (out == NULL) exit(1);
  end = strcpy(out, begin) + strlen(begin);
  for (; *model != 0; ++model) {
    if (*model == '"' || *model == '\\') *end++ = '\\';
    *end++ = *model;
  }
  strcpy(end, rest);
  return out;
}

int main(int argc, char** argv) {
  percale_engine* engine;
  percale_dataset *data, *test;
  percale_trainer* trainer;
  percale_tensor *before, *after;
  percale_text* said;
  char* spec;
  int same;

  if (argc != 6) {
    fputs("usage: fine_tune MODEL IMAGES LABELS TEST_IMAGES TEST_LABELS\n", stderr);
    return 2;
  }
  ok(percale_engine_create(NULL, &engine));
  data = parity(engine, argv[2], argv[3], 64, 1);
  test = parity(engine, argv[4], argv[5], 256, -1);
  spec = spec_of(argv[1]);
  ok(percale_trainer_from_spec(engine, spec, PERCALE_NUL_ENDED, NULL, NULL, NULL, &trainer));
  free(spec);

  before = body(trainer);
  ok(percale_trainer_fit(trainer, data, 1, on_step, NULL));
  after = body(trainer);
  same = memcmp(percale_tensor_get_data(before), percale_tensor_get_data(after), percale_tensor_bytes(before)) == 0;
  puts(same ? "the body kept its bits" : "the body has changed");
  ok(percale_trainer_evaluate(trainer, test, &said));
  printf("even or odd: %s\n", percale_text_data(said, NULL));

  percale_text_release(said);
  percale_tensor_release(before);
  percale_tensor_release(after);
  percale_trainer_release(trainer);
  percale_dataset_release(data);
  percale_dataset_release(test);
  percale_engine_release(engine);
  return 0;
}
