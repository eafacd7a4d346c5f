/* Files of the host: every path to read from may name one, each byte is read once and none past the
 * end, and the errors of a reader are passed on with the path. */
#include <stdlib.h>

#include "host_fixture.h"

enum { MOST_FILES = 8 };

/* The files of the reader, which are in memory. */
typedef struct archive {
  const char* names[MOST_FILES];
  unsigned char* bytes[MOST_FILES];
  size_t sizes[MOST_FILES];
  size_t read[MOST_FILES]; /* bytes so far */
  int count, destroyed;
  percale_code refuses; /* the reads fail with this code */
} archive;

static void add(archive* a, const char* name, const char* path) {
  a->names[a->count] = name;
  a->bytes[a->count] = contents(path, &a->sizes[a->count]);
  ++a->count;
}

static int find(const archive* a, const char* name) {
  int i;
  for (i = 0; i < a->count; ++i) {
    if (strcmp(a->names[i], name) == 0) return i;
  }
  return -1;
}

static percale_status* size_of(void* user, const char* name, int64_t* out_size) {
  const archive* a = (const archive*)user;
  const int i = find(a, name);
  if (i < 0) return percale_status_create(PERCALE_NOT_FOUND, "not in the archive", PERCALE_NUL_ENDED);
  *out_size = (int64_t)a->sizes[i];
  return NULL;
}

static percale_status* read_at(void* user, const char* name, int64_t offset, void* buffer, size_t size) {
  archive* a = (archive*)user;
  const int i = find(a, name);
  if (a->refuses != PERCALE_OK) return percale_status_create(a->refuses, "the key is wrong", PERCALE_NUL_ENDED);
  CHECK(i >= 0 && offset >= 0 && (size_t)offset + size <= a->sizes[i]);
  memcpy(buffer, a->bytes[i] + offset, size);
  a->read[i] += size;
  return NULL;
}

static void destroy(void* user) { ++((archive*)user)->destroyed; }

static percale_engine* engine_with(archive* a) {
  percale_reader table = {sizeof table, NULL, size_of, read_at};
  percale_options* options = engine_options();
  table.user = a;
  OK(percale_options_set_reader(options, &table, destroy));
  return engine_of(options);
}

static void free_archive(archive* a) {
  int i;
  for (i = 0; i < a->count; ++i) free(a->bytes[i]);
}

static void digest_of(const percale_variables* variables, char* out, size_t room) {
  percale_text* text = NULL;
  OK(percale_variables_digest(variables, &text));
  snprintf(out, room, "%s", percale_text_data(text, NULL));
  percale_text_release(text);
}

static void models_and_weights_come_from_the_host(void) {
  percale_engine* plain = engine_of(engine_options());
  percale_graph* graph = make_graph(plain);
  percale_variables *variables = make_variables(plain, graph), *loaded;
  percale_tensor *x = make_x(plain), *back = NULL, *batch = NULL;
  percale_dataset* data = NULL;
  const char *const name = "x", *const path = "host:x.npy";
  char wanted[200], got[200];
  archive a;
  percale_engine* engine;
  int i;
  memset(&a, 0, sizeof a);
  OK(percale_graph_save_file(graph, variables, in_folder("host.percale")));
  OK(percale_variables_save(variables, in_folder("host.safetensors")));
  OK(percale_tensor_save(x, in_folder("host.npy")));
  digest_of(variables, wanted, sizeof wanted);
  percale_graph_release(graph);
  add(&a, "m/model", in_folder("host.percale"));
  add(&a, "w.safetensors", in_folder("host.safetensors"));
  add(&a, "x.npy", in_folder("host.npy"));
  engine = engine_with(&a);

  OK(percale_graph_load_file(engine, "host:m/model", &graph));
  OK(percale_variables_create(engine, graph, 99, &loaded));
  digest_of(loaded, got, sizeof got);
  CHECK(strcmp(wanted, got) == 0);
  percale_variables_release(loaded);
  percale_graph_release(graph);

  graph = make_graph(engine);
  OK(percale_variables_create(engine, graph, 99, &loaded));
  OK(percale_variables_load(loaded, "host:w.safetensors", 1));
  digest_of(loaded, got, sizeof got);
  CHECK(strcmp(wanted, got) == 0);
  OK(percale_tensor_load(engine, "host:x.npy", &back));
  CHECK(same_tensor(x, back));
  for (i = 0; i < a.count; ++i) CHECK(a.read[i] == a.sizes[i]);
  OK(percale_dataset_from_files(engine, &name, &path, 1, 1, NULL, &data));
  OK(percale_dataset_configure(data, ROWS, -1, 0));
  OK(percale_dataset_next(data, &batch));
  CHECK(same_tensor(x, batch));
  percale_tensor_release(batch);
  percale_dataset_release(data);
  OK(percale_file_check(engine, "host:w.safetensors"));
  OK(percale_variables_load(loaded, in_folder("host.safetensors"), 1)); /* another path */

  percale_tensor_release(x);
  percale_variables_release(loaded);
  percale_graph_release(graph);
  percale_engine_release(engine);
  CHECK(a.destroyed == 1); /* a tensor that outlives the engine does not keep the reader */
  percale_tensor_release(back);
  percale_variables_release(variables);
  percale_engine_release(plain);
  free_archive(&a);
}

static void errors_of_a_reader_are_passed_on(void) {
  percale_engine* plain = engine_of(engine_options());
  percale_graph *graph = make_graph(plain), *none = NULL;
  percale_variables* variables;
  archive a;
  percale_engine* engine;
  memset(&a, 0, sizeof a);
  OK(percale_graph_save_file(graph, NULL, in_folder("host.percale")));
  percale_graph_release(graph);
  add(&a, "model", in_folder("host.percale"));
  engine = engine_with(&a);
  graph = make_graph(engine);
  variables = make_variables(engine, graph);
  FAILS(percale_graph_load_file(engine, "host:other", &none), PERCALE_NOT_FOUND, "host:other: not in the archive");
  FAILS(percale_variables_load(variables, "host:w", 1), PERCALE_NOT_FOUND, "host:w: not in the archive");
  a.refuses = PERCALE_PERMISSION_DENIED;
  FAILS(percale_graph_load_file(engine, "host:model", &none), PERCALE_PERMISSION_DENIED,
        "host:model: the key is wrong");
  a.refuses = PERCALE_OK;
  a.sizes[0] -= 100;
  FAILS(percale_graph_load_file(engine, "host:model", &none), PERCALE_DATA_LOSS, "host:model: the file is truncated");
  a.sizes[0] = (size_t)-1;
  FAILS(percale_graph_load_file(engine, "host:model", &none), PERCALE_INTERNAL, "host:model: the reader of the host");
  a.sizes[0] = (size_t)1 << 60;
  FAILS(percale_graph_load_file(engine, "host:model", &none), PERCALE_RESOURCE_EXHAUSTED, "host:model: ");
  CHECK(none == NULL);
  /* without a reader such a path is one of the system */
  FAILS(percale_graph_load_file(plain, "host:model", &none), PERCALE_NOT_FOUND, "'host:model'");
  percale_variables_release(variables);
  percale_graph_release(graph);
  percale_engine_release(engine);
  percale_engine_release(plain);
  free_archive(&a);
}

/* Trains for a step, saves a checkpoint, and takes it up again through the reader. */
static void checkpoints_come_from_the_host(void) {
  const char* const spec =
      "{\"model\": [{\"layer\": \"Dense\", \"units\": 1}], \"loss\": \"mse\", \"optimizer\": \"adam\","
      " \"batch_size\": 64, \"seed\": 2, \"input_shape\": [256]}";
  const char* const names[] = {"x", "y"};
  const int64_t dims[2] = {ROWS, 1};
  percale_engine *plain = engine_of(engine_options()), *engine;
  percale_trainer* trainer = NULL;
  percale_tensor* batch[2];
  archive a;
  memset(&a, 0, sizeof a);
  batch[0] = make_x(plain);
  OK(percale_tensor_create(plain, PERCALE_DTYPE_F32, dims, 2, &batch[1]));
  OK(percale_trainer_from_spec(plain, spec, PERCALE_NUL_ENDED, NULL, NULL, NULL, &trainer));
  OK(percale_trainer_step(trainer, names, batch, 2, NULL));
  OK(percale_trainer_save(trainer, in_folder("run")));
  percale_trainer_release(trainer);
  add(&a, "run/step-1/MANIFEST", in_folder("run/step-1/MANIFEST"));
  add(&a, "run/step-1/state.safetensors", in_folder("run/step-1/state.safetensors"));
  engine = engine_with(&a);
  OK(percale_trainer_from_spec(engine, spec, PERCALE_NUL_ENDED, NULL, NULL, NULL, &trainer));
  FAILS(percale_trainer_restore(trainer, "host:run"), PERCALE_INVALID_ARGUMENT, "files of a host cannot be listed");
  FAILS(percale_trainer_restore(trainer, "host:run/step-2"), PERCALE_NOT_FOUND, "run/step-2/MANIFEST: not in the");
  OK(percale_trainer_restore(trainer, "host:run/step-1"));
  CHECK(percale_trainer_steps(trainer) == 1);
  CHECK(a.read[0] == a.sizes[0] && a.read[1] == a.sizes[1]);
  OK(percale_file_check(engine, "host:run/step-1"));
  percale_trainer_release(trainer);
  percale_engine_release(engine);
  percale_tensor_release(batch[0]);
  percale_tensor_release(batch[1]);
  percale_engine_release(plain);
  free_archive(&a);
}

/* The status of an import that no plug-in can do; else the model is compared. */
static void models_with_data_in_files_come_from_the_host(void) {
  percale_engine *plain = engine_of(engine_options()), *engine;
  percale_graph *graph = make_graph(plain), *imported = NULL;
  percale_variables *variables = make_variables(plain, graph), *loaded = NULL;
  percale_options* options = NULL;
  percale_status* status;
  char wanted[200], got[200];
  archive a;
  memset(&a, 0, sizeof a);
  OK(percale_options_create("export", &options));
  OK(percale_options_set(options, "external_data", "always"));
  status = percale_graph_export(plain, graph, variables, "onnx", options, in_folder("host.onnx"));
  percale_options_release(options);
  if (percale_status_code(status) == PERCALE_UNIMPLEMENTED) {
    printf("without ONNX\n");
    percale_status_release(status);
  } else {
    OK(status);
    add(&a, "m/model.onnx", in_folder("host.onnx"));
    add(&a, "m/host.onnx.data", in_folder("host.onnx.data"));
    engine = engine_with(&a);
    OK(percale_graph_import(engine, "onnx", "host:m/model.onnx", &imported));
    OK(percale_variables_create(engine, imported, 99, &loaded));
    digest_of(variables, wanted, sizeof wanted);
    digest_of(loaded, got, sizeof got);
    CHECK(strcmp(wanted, got) == 0);
    CHECK(a.read[0] == a.sizes[0] && a.read[1] > 0 && a.read[1] <= a.sizes[1]);
    percale_graph_release(imported);
    percale_variables_release(loaded);
    a.names[1] = "lost";
    FAILS(percale_graph_import(engine, "onnx", "host:m/model.onnx", &imported), PERCALE_NOT_FOUND,
          "host:m/host.onnx.data: not in the archive");
    percale_engine_release(engine);
  }
  percale_variables_release(variables);
  percale_graph_release(graph);
  percale_engine_release(plain);
  free_archive(&a);
}

static void tables_that_lack_something_are_refused(void) {
  percale_reader table = {sizeof table, NULL, size_of, NULL};
  percale_options* options = engine_options();
  archive a;
  memset(&a, 0, sizeof a);
  table.user = &a;
  REFUSES(percale_options_set_reader(options, &table, destroy), "read");
  table.size = NULL;
  REFUSES(percale_options_set_reader(options, &table, destroy), "size");
  table.struct_size = 4;
  FAILS(percale_options_set_reader(options, &table, destroy), PERCALE_INVALID_ARGUMENT, "'struct_size' is 4");
  CHECK(a.destroyed == 0);
  percale_options_release(options);
}

void test_readers(void) {
  models_and_weights_come_from_the_host();
  errors_of_a_reader_are_passed_on();
  checkpoints_come_from_the_host();
  models_with_data_in_files_come_from_the_host();
  tables_that_lack_something_are_refused();
}
