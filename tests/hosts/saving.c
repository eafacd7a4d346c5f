/* The program that crash_sweep.py kills during a save. Usage: saving WHAT HOW FOLDER
 *   WHAT  checkpoint   a new checkpoint beside an older one
 *         replace      a checkpoint in the place of one of the same step
 *         graph        a .percale file in the place of another
 *   HOW   prepare      saves the old one and prints its digest
 *         save         saves the new one and prints its digest; on an error prints it, exit code 3
 *         check        loads the existing one and prints its digest
 * The save itself is enclosed by two look-ups of files that do not exist, as marks in a trace of
 * system calls. */
#define _GNU_SOURCE
#include <unistd.h>

#include "check.h"
#include "host.h"

static percale_engine* engine = NULL;
static percale_graph* graph = NULL;

static void mark(const char* name) { CHECK(access(name, F_OK) != 0); }

static void print_digest(const percale_variables* variables) {
  percale_text* text = NULL;
  OK(percale_variables_digest(variables, &text));
  printf("%s\n", percale_text_data(text, NULL));
  percale_text_release(text);
}

static int finish_save(percale_status* status) {
  mark("percale-save-ends");
  if (status == NULL) return 0;
  printf("%s: %s\n", percale_code_name(percale_status_code(status)), percale_status_message(status, NULL));
  percale_status_release(status);
  return 3;
}

/* Changes a variable: the same step with other contents. */
static void change(percale_variables* variables) {
  percale_tensor *value = NULL, *other = NULL;
  const char* name = percale_variables_get_name(variables, 0);
  OK(percale_variables_value(variables, name, &value));
  OK(percale_tensor_create(engine, percale_tensor_dtype(value), percale_tensor_get_dims(value),
                           percale_tensor_rank(value), &other));
  OK(percale_variables_assign(variables, name, other));
  percale_tensor_release(value);
  percale_tensor_release(other);
}

static int with_checkpoint(int replace, const char* how, const char* folder) {
  percale_trainer* trainer = NULL;
  percale_variables* variables = NULL;
  percale_tensor* batch[2];
  int result = 0;
  OK(host_make_batch(engine, HOST_ROWS, batch));
  OK(host_make_trainer(engine, graph, &trainer));
  OK(percale_trainer_variables(trainer, &variables));
  if (strcmp(how, "prepare") == 0) {
    OK(host_step(trainer, batch));
    OK(percale_trainer_save(trainer, folder));
  } else {
    OK(percale_trainer_restore(trainer, folder));
  }
  if (strcmp(how, "save") == 0) {
    if (replace) {
      change(variables);
    } else {
      OK(host_step(trainer, batch));
    }
    mark("percale-save-begins");
    result = finish_save(percale_trainer_save(trainer, folder));
  }
  if (result == 0) print_digest(variables);
  percale_variables_release(variables);
  percale_trainer_release(trainer);
  percale_tensor_release(batch[0]);
  percale_tensor_release(batch[1]);
  return result;
}

static int with_graph(const char* how, const char* folder) {
  percale_variables* variables = NULL;
  percale_graph* loaded = NULL;
  char path[4000];
  int result = 0;
  snprintf(path, sizeof path, "%s/model.percale", folder);
  if (strcmp(how, "check") == 0) {
    OK(percale_graph_load_file(engine, path, &loaded));
    OK(percale_variables_create(engine, loaded, 7, &variables));
  } else {
    OK(percale_variables_create(engine, graph, strcmp(how, "save") == 0 ? 2 : 1, &variables));
    mark("percale-save-begins");
    result = finish_save(percale_graph_save_file(graph, variables, path));
  }
  if (result == 0) print_digest(variables);
  percale_variables_release(variables);
  percale_graph_release(loaded);
  return result;
}

int main(int argc, char** argv) {
  int result, replace;
  if (argc < 4) return 2;
  OK(host_make_engine(1, NULL, 0, &engine));
  OK(host_make_graph(engine, &graph));
  replace = strcmp(argv[1], "replace") == 0;
  result = strcmp(argv[1], "graph") == 0 ? with_graph(argv[2], argv[3]) : with_checkpoint(replace, argv[2], argv[3]);
  percale_graph_release(graph);
  percale_engine_release(engine);
  return check_done() != 0 ? 1 : result;
}
