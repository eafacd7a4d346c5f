/* Trains one SPEC on 1, 2 and 4 devices of one process. Draws the training rows per second for
 * each number of devices, and the loss curves, which coincide.
 *   devices SPEC.json OUT.svg [EPOCHS]
 * Exit code 1 if the weights are not the same bits. */
#include <percale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RUNS = 3, WIDTH = 860, HEIGHT = 360, PLOT = 250, TOP = 60, BASE = TOP + PLOT };

typedef struct run {
  int devices;
  double rows_per_second;
  double* losses;
  size_t steps, room;
  char digest[80];
} run;

static void ok(percale_status* status) {
  if (status == NULL) return;
  fprintf(stderr, "devices: %s: %s\n", percale_code_name(percale_status_code(status)),
          percale_status_message(status, NULL));
  percale_status_release(status);
  exit(1);
}

static void* need(void* memory) {
  if (memory == NULL) fputs("devices: no memory\n", stderr), exit(1);
  return memory;
}

static char* read_text(const char* path) {
  FILE* file = fopen(path, "rb");
  char* text;
  long size;
  if (file == NULL || fseek(file, 0, SEEK_END) != 0 || (size = ftell(file)) < 0) perror(path), exit(1);
  text = need(calloc((size_t)size + 1, 1));
  rewind(file);
  if (fread(text, 1, (size_t)size, file) != (size_t)size) perror(path), exit(1);
  fclose(file);
  return text;
}

static int32_t note_step(void* user, const percale_progress* progress) {
  run* r = user;
  if (r->steps == r->room) {
    r->room = r->room ? 2 * r->room : 1024;
    r->losses = need(realloc(r->losses, r->room * sizeof *r->losses));
  }
  r->losses[r->steps++] = progress->loss;
  r->rows_per_second = progress->rows_per_second;
  return 0;
}

/* Each device has one thread; all devices share the variables. The number of shards belongs to
 * the job: every run has eight. */
static void train(run* r, const char* spec, const char* folder, const char* epochs) {
  percale_options* options;
  percale_engine* engine;
  percale_trainer* trainer;
  percale_variables* variables;
  percale_text* digest;
  char devices[32];
  snprintf(devices, sizeof devices, "cpu=%dx1", r->devices);
  ok(percale_options_create("engine", &options));
  ok(percale_options_set(options, "devices", devices));
  ok(percale_engine_create(options, &engine));
  percale_options_release(options);
  ok(percale_options_create("trainer", &options));
  ok(percale_options_set(options, "shards", "8"));
  if (epochs) ok(percale_options_set(options, "epochs", epochs));
  ok(percale_trainer_from_spec(engine, spec, strlen(spec), folder, folder, options, &trainer));
  ok(percale_trainer_fit(trainer, NULL, 0, note_step, r));
  ok(percale_trainer_variables(trainer, &variables));
  ok(percale_variables_digest(variables, &digest));
  snprintf(r->digest, sizeof r->digest, "%s", percale_text_data(digest, NULL));
  printf("%d device%s: %.0f rows/s, %zu steps, last loss %.5f, %s\n", r->devices, r->devices > 1 ? "s" : "",
         r->rows_per_second, r->steps, r->losses[r->steps - 1], r->digest);
  percale_text_release(digest), percale_variables_release(variables), percale_trainer_release(trainer);
  percale_options_release(options), percale_engine_release(engine);
}

static double greatest(const run* r) {
  double out = 0;
  for (size_t i = 0; i < r->steps; ++i) out = r->losses[i] > out ? r->losses[i] : out;
  return out;
}

/* Returns the mean loss over a window about three points wide, to smooth differences between
 * batches. */
static double smooth(const run* r, size_t at) {
  const size_t reach = r->steps / 200 + 1, from = at < reach ? 0 : at - reach;
  const size_t to = at + reach + 1 < r->steps ? at + reach + 1 : r->steps;
  double sum = 0;
  for (size_t i = from; i < to; ++i) sum += r->losses[i];
  return sum / (double)(to - from);
}

static void draw(const char* path, const run* runs, int same) {
  static const char* const colours[RUNS] = {"#1b6ca8", "#e07a1f", "#3a8f4d"};
  /* overlaid curves stay visible */
  static const char* const dashes[RUNS] = {"none", "10 10", "3 17"};
  static const double widths[RUNS] = {5, 3.5, 2};
  double most = 0, top = 0;
  FILE* file = fopen(path, "w");
  if (file == NULL) perror(path), exit(1);
  for (int i = 0; i < RUNS; ++i) {
    most = runs[i].rows_per_second > most ? runs[i].rows_per_second : most;
    top = greatest(&runs[i]) > top ? greatest(&runs[i]) : top;
  }
  fprintf(
      file,
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" font-size=\"13\">\n"
      "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n"
      "<text x=\"30\" y=\"30\" font-size=\"16\">Rows trained in a second</text>\n"
      "<text x=\"380\" y=\"30\" font-size=\"16\">Loss: %s</text>\n",
      WIDTH, HEIGHT, same ? "the same bits on any number of devices" : "NOT the same bits");
  for (int i = 0; i < RUNS; ++i) {
    const double height = most > 0 ? runs[i].rows_per_second / most * PLOT : 0;
    const int x = 40 + 100 * i;
    fprintf(file,
            "<rect x=\"%d\" y=\"%.1f\" width=\"70\" height=\"%.1f\" fill=\"%s\"/>\n"
            "<text x=\"%d\" y=\"%.1f\" text-anchor=\"middle\">%.0f (%.2fx)</text>\n"
            "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">%d device%s</text>\n",
            x, BASE - height, height, colours[i], x + 35, BASE - height - 6, runs[i].rows_per_second,
            runs[0].rows_per_second > 0 ? runs[i].rows_per_second / runs[0].rows_per_second : 0, x + 35, BASE + 20,
            runs[i].devices, runs[i].devices > 1 ? "s" : "");
  }
  fprintf(file, "<path d=\"M380 %d V%d H840\" fill=\"none\" stroke=\"#888\"/>\n", TOP, BASE);
  fprintf(
      file,
      "<text x=\"372\" y=\"%d\" text-anchor=\"end\">%.3g</text><text x=\"372\" y=\"%d\" text-anchor=\"end\">0</text>\n"
      "<text x=\"840\" y=\"%d\" text-anchor=\"end\">%zu steps</text>\n",
      TOP + 4, top, BASE + 4, BASE + 20, runs[0].steps);
  for (int i = 0; i < RUNS; ++i) {
    const size_t step = runs[i].steps / 400 + 1;
    fprintf(file, "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"%g\" stroke-dasharray=\"%s\" points=\"",
            colours[i], widths[i], dashes[i]);
    for (size_t k = 0; k < runs[i].steps; k += step) {
      fprintf(file, "%.1f,%.1f ", 380 + 460.0 * (double)k / (double)runs[i].steps,
              BASE - (top > 0 ? smooth(&runs[i], k) / top * PLOT : 0));
    }
    fprintf(file, "\"/>\n");
  }
  fprintf(file, "<text x=\"30\" y=\"%d\" fill=\"#666\" font-size=\"11\">%s</text>\n</svg>\n", HEIGHT - 8,
          runs[0].digest);
  if (fclose(file) != 0) perror(path), exit(1);
}

int main(int argc, char** argv) {
  run runs[RUNS] = {{.devices = 1}, {.devices = 2}, {.devices = 4}};
  char *spec, *folder, *slash;
  int same = 1;
  if (argc < 3 || argc > 4) return fputs("usage: devices SPEC.json OUT.svg [EPOCHS]\n", stderr), 2;
  spec = read_text(argv[1]);
  folder = need(calloc(strlen(argv[1]) + 3, 1));
  memcpy(folder, argv[1], strlen(argv[1]));
  if ((slash = strrchr(folder, '/')) != NULL) {
    *slash = 0;
  } else {
    memcpy(folder, ".", 2);
  }
  for (int i = 0; i < RUNS; ++i) {
    train(&runs[i], spec, folder, argc > 3 ? argv[3] : NULL);
    same = same && strcmp(runs[i].digest, runs[0].digest) == 0;
  }
  draw(argv[2], runs, same);
  printf("%s; the picture is %s\n", same ? "the same weights, bit for bit" : "the weights DIFFER", argv[2]);
  for (int i = 0; i < RUNS; ++i) free(runs[i].losses);
  free(spec), free(folder);
  return same ? 0 : 1;
}
