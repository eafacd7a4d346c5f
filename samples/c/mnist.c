#define _POSIX_C_SOURCE 200112L /* isatty */
/* Trains a SPEC on two devices of one process, with a progress bar.
 *   mnist SPEC.json OUT.percale [EPOCHS] [--losses FILE]
 * The data is looked up in PERCALE_DATA, in the cache, and next to the SPEC. The weights do not
 * depend on the number of devices. FILE gets a line per step: its number and the 64 bits of its
 * loss. */
#include <inttypes.h>
#include <percale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void ok(percale_status* status) {
  if (status == NULL) return;
  fprintf(stderr, "mnist: %s: %s\n", percale_code_name(percale_status_code(status)),
          percale_status_message(status, NULL));
  percale_status_release(status);
  exit(1);
}

static void die(const char* path) {
  perror(path);
  exit(1);
}

static char* read_text(const char* path) {
  FILE* file = fopen(path, "rb");
  char* text;
  long size;
  if (file == NULL || fseek(file, 0, SEEK_END) != 0 || (size = ftell(file)) < 0) die(path);
  text = calloc((size_t)size + 1, 1);
  rewind(file);
  if (text == NULL || fread(text, 1, (size_t)size, file) != (size_t)size) die(path);
  fclose(file);
  return text;
}

/* Draws a progress line that is overwritten until the epoch ends. */
static void draw(const percale_progress* p) {
  size_t i;
  const int done = (int)(p->steps_in_epoch > 0 ? 30 * p->step_in_epoch / p->steps_in_epoch : 0);
  fprintf(stderr, "\repoch %d/%d [%-30.*s] loss %.4f  %.0f rows/s  %.0f s left  ", (int)p->epoch, (int)p->epochs, done,
          "==============================", p->loss, p->rows_per_second, p->eta_seconds);
  for (i = 0; p->epoch_ended && i < p->metric_count; ++i) {
    fprintf(stderr, "%s %.4f  ", p->metric_names[i], p->metric_values[i]);
  }
  if (p->epoch_ended) fputc('\n', stderr);
}

static int32_t on_step(void* user, const percale_progress* p) {
  FILE* losses = user;
  uint64_t bits;
  memcpy(&bits, &p->loss, sizeof bits);
  if (losses != NULL) fprintf(losses, "%" PRId64 " %016" PRIx64 "\n", p->step, bits);
  if (p->epoch_ended || (p->step_in_epoch % 20 == 0 && isatty(2))) draw(p);
  return 0;
}

int main(int argc, char** argv) {
  percale_options* options;
  percale_engine* engine;
  percale_trainer* trainer;
  percale_variables* variables;
  percale_graph* model;
  percale_text* text;
  FILE* losses = NULL;
  char *spec, *slash;

  if (argc > 4 && strcmp(argv[argc - 2], "--losses") == 0) {
    if ((losses = fopen(argv[argc - 1], "w")) == NULL) die(argv[argc - 1]);
    argc -= 2;
  }
  if (argc < 3 || argc > 4) {
    fputs("usage: mnist SPEC.json OUT.percale [EPOCHS] [--losses FILE]\n", stderr);
    return 2;
  }
  spec = read_text(argv[1]);
  slash = strrchr(argv[1], '/');
  if (slash != NULL) *slash = 0; /* now only the SPEC's folder */

  ok(percale_options_create("engine", &options));
  ok(percale_options_set(options, "devices", "cpu=2x1"));
  ok(percale_engine_create(options, &engine));
  percale_options_release(options);
  ok(percale_options_create("trainer", &options));
  ok(percale_options_set(options, "devices", "all"));
  if (argc > 3) ok(percale_options_set(options, "epochs", argv[3]));
  ok(percale_trainer_from_spec(engine, spec, PERCALE_NUL_ENDED, slash != NULL ? argv[1] : ".", NULL, options,
                               &trainer));
  percale_options_release(options);
  free(spec);

  ok(percale_trainer_fit(trainer, NULL, 0, on_step, losses));
  if (losses != NULL && fclose(losses) != 0) die("the losses");
  ok(percale_trainer_evaluate(trainer, NULL, &text));
  printf("test %s\n", percale_text_data(text, NULL));
  percale_text_release(text);
  ok(percale_trainer_variables(trainer, &variables));
  ok(percale_trainer_model(trainer, &model));
  ok(percale_graph_save_file(model, variables, argv[2]));
  ok(percale_variables_digest(variables, &text));
  printf("%s %s\n", argv[2], percale_text_data(text, NULL));

  percale_text_release(text);
  percale_graph_release(model);
  percale_variables_release(variables);
  percale_trainer_release(trainer);
  percale_engine_release(engine);
  return 0;
}
