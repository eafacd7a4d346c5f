/* Workloads from files. The argument is a model's path. Its feeds in0.npy, in1.npy, ... are
 * beside it, in the order of its inputs.
 *   run:PATH     a prepared call; the results of the first one go to out0.npy, ... in the current
 *                folder
 *   load:PATH    from the file to the first result, and everything released
 *   train:PATH   a step of the SPEC at PATH on the batch x.npy, y.npy beside it; the losses of the
 *                first steps go to losses.npy in the current folder */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "worker.h"

enum { kRecordedSteps = 3 };

/* Returns the path of `name` in PATH's folder; the caller frees it. */
static char* beside(const char* path, const char* name) {
  const char* slash = strrchr(path, '/');
  const size_t folder = slash ? (size_t)(slash - path) + 1 : 0, size = folder + strlen(name) + 1;
  char* out = malloc(size);
  if (out == NULL) perror("memory"), exit(1);
  memcpy(out, path, folder);
  memcpy(out + folder, name, size - folder);
  return out;
}

static percale_tensor* tensor_beside(const char* path, const char* name) {
  char* file = beside(path, name);
  percale_tensor* tensor;
  ok(percale_tensor_load(engine, file, &tensor));
  free(file);
  return tensor;
}

/* Prepares session, names, and feeds once. The session keeps the graph and its variables alive. */
static void open_model(workload* w) {
  const char* ending = strrchr(w->argument, '.');
  percale_graph* graph;
  percale_variables* variables;
  percale_options* options = session_options();
  const char* name;
  if (ending && strcmp(ending, ".percale") == 0) {
    ok(percale_graph_load_file(engine, w->argument, &graph));
  } else {
    ok(percale_graph_import(engine, "onnx", w->argument, &graph));
  }
  ok(percale_variables_create(engine, graph, 0, &variables));
  ok(percale_session_create(engine, graph, variables, options, &w->session));
  if (w->feed_count == 0) {
    while ((name = percale_graph_get_input_name(graph, w->feed_count)) != NULL && w->feed_count < kMaxValues) {
      char file[32];
      snprintf(file, sizeof file, "in%zu.npy", w->feed_count);
      w->feeds[w->feed_count] = tensor_beside(w->argument, file);
      w->feed_names[w->feed_count++] = strdup(name);
    }
    while ((name = percale_graph_get_output_name(graph, w->fetch_count)) != NULL && w->fetch_count < kMaxValues) {
      w->fetch_names[w->fetch_count++] = strdup(name);
    }
  }
  percale_options_release(options), percale_variables_release(variables), percale_graph_release(graph);
}

static void drop_fetches(workload* w) {
  for (size_t i = 0; i < w->fetch_count; ++i) percale_tensor_release(w->fetches[i]), w->fetches[i] = NULL;
}

static void run_session(workload* w) {
  drop_fetches(w);
  ok(percale_session_run(w->session, w->feed_names, w->feeds, w->feed_count, w->fetch_names, w->fetch_count, NULL, 0,
                         PERCALE_FOREVER, w->fetches));
}
static void run_call(workload* w) { ok(percale_call_run(w->call, w->feeds, w->fetches)); }

/* Outputs whose shapes depend on the data cannot be bound beforehand: such a model runs through
 * the session. */
static void prepare(workload* w) {
  percale_dtype dtypes[kMaxValues], dtype;
  const int64_t* dims[kMaxValues];
  size_t ranks[kMaxValues], rank, i;
  int64_t out_dims[8];
  percale_status* status;
  for (i = 0; i < w->feed_count; ++i) {
    dtypes[i] = percale_tensor_dtype(w->feeds[i]);
    dims[i] = percale_tensor_get_dims(w->feeds[i]);
    ranks[i] = percale_tensor_rank(w->feeds[i]);
  }
  status = percale_call_create(w->session, w->feed_names, dtypes, dims, ranks, w->feed_count, w->fetch_names,
                               w->fetch_count, &w->call);
  if (percale_status_code(status) == PERCALE_FAILED_PRECONDITION) {
    percale_status_release(status);
    w->iterate = run_session;
    return;
  }
  ok(status);
  for (i = 0; i < w->fetch_count; ++i) {
    ok(percale_call_output_type(w->call, i, &dtype, out_dims, &rank));
    ok(percale_tensor_create(engine, dtype, out_dims, rank, &w->fetches[i]));
  }
  w->iterate = run_call;
}

static void make_model(workload* w) {
  open_model(w);
  prepare(w);
  w->iterate(w);
  for (size_t i = 0; i < w->fetch_count; ++i) {
    char file[32];
    snprintf(file, sizeof file, "out%zu.npy", i);
    ok(percale_tensor_save(w->fetches[i], file));
  }
}

static void load_model(workload* w) {
  open_model(w);
  run_session(w);
  drop_fetches(w);
  percale_session_release(w->session), w->session = NULL;
}
static void make_model_load(workload* w) { w->iterate = load_model; }

static char* read_text(const char* path) {
  FILE* file = fopen(path, "rb");
  char* text;
  long size;
  if (file == NULL || fseek(file, 0, SEEK_END) != 0 || (size = ftell(file)) < 0) perror(path), exit(1);
  text = calloc((size_t)size + 1, 1);
  rewind(file);
  if (text == NULL || fread(text, 1, (size_t)size, file) != (size_t)size) perror(path), exit(1);
  fclose(file);
  return text;
}

static void make_model_training(workload* w) {
  const int64_t dims[1] = {kRecordedSteps};
  percale_options* options = trainer_options();
  char *spec = read_text(w->argument), *folder = beside(w->argument, "");
  percale_tensor* losses;
  ok(percale_trainer_from_spec(engine, spec, strlen(spec), folder, folder, options, &w->trainer));
  percale_options_release(options), free(spec), free(folder);
  w->feed_names[0] = "x", w->feed_names[1] = "y", w->feed_count = 2;
  w->feeds[0] = tensor_beside(w->argument, "x.npy");
  w->feeds[1] = tensor_beside(w->argument, "y.npy");
  w->iterate = train_step;
  ok(percale_tensor_create(engine, PERCALE_DTYPE_F64, dims, 1, &losses));
  for (int i = 0; i < kRecordedSteps; ++i) {
    ok(percale_trainer_step(w->trainer, w->feed_names, w->feeds, 2, (double*)percale_tensor_get_data(losses) + i));
  }
  ok(percale_tensor_save(losses, "losses.npy"));
  percale_tensor_release(losses);
}

const maker kModelWorkloads[] = {
    {"run:", make_model}, {"first:", make_model}, {"load:", make_model_load}, {"train:", make_model_training},
    {NULL, NULL},
};
