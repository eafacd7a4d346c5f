#define _POSIX_C_SOURCE 200112L /* isatty */
/* Loads a graph that classifies images of digits, draws the first twelve of a test set in the
 * terminal with the predictions, and counts the correct predictions in the whole set.
 *   digits MODEL.percale IMAGES.idx LABELS.idx */
#include <percale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ACROSS = 6, DRAWN = 12, SIDE = 28, BATCH = 500 };

static void ok(percale_status* status) {
  if (status == NULL) return;
  fprintf(stderr, "digits: %s: %s\n", percale_code_name(percale_status_code(status)),
          percale_status_message(status, NULL));
  percale_status_release(status);
  exit(1);
}

/* Returns a character that shows two pixels, one above the other. */
static const char* ink(float above, float below) {
  return above > 0.4f ? (below > 0.4f ? "\xe2\x96\x88" : "\xe2\x96\x80") : (below > 0.4f ? "\xe2\x96\x84" : " ");
}

static void draw_row(const float* images, const int64_t* labels, const int64_t* said) {
  const int colour = isatty(1) && getenv("NO_COLOR") == NULL;
  int line, i, column;
  for (line = 2; line < SIDE - 2; line += 2) {
    for (i = 0; i < ACROSS; ++i) {
      const float* at = images + i * SIDE * SIDE + line * SIDE;
      for (column = 4; column < SIDE - 4; ++column) fputs(ink(at[column], at[column + SIDE]), stdout);
    }
    putchar('\n');
  }
  for (i = 0; i < ACROSS; ++i) {
    const int right = said[i] == labels[i];
    char text[32];
    snprintf(text, sizeof text, right ? "%lld" : "%lld, not %lld", (long long)labels[i], (long long)said[i]);
    printf("%s%*s%*s%s", colour ? (right ? "\033[32m" : "\033[1;31m") : "", 10 + (int)strlen(text) / 2, text,
           10 - (int)strlen(text) / 2, "", colour ? "\033[0m" : "");
  }
  puts("\n");
}

/* Returns the index of the largest of ten scores. */
static int64_t best_of(const float* scores) {
  int64_t best = 0, i;
  for (i = 1; i < 10; ++i) {
    if (scores[i] > scores[best]) best = i;
  }
  return best;
}

int main(int argc, char** argv) {
  const char* const names[] = {"x", "y"};
  const char *files[2], *input, *output;
  percale_engine* engine;
  percale_graph* graph;
  percale_variables* variables;
  percale_session* session;
  percale_dataset* digits;
  percale_tensor *batch[2], *images, *scores;
  percale_status* status;
  int64_t said[BATCH], right = 0, rows = 0;

  if (argc != 4) {
    fputs("usage: digits MODEL.percale IMAGES.idx LABELS.idx\n", stderr);
    return 2;
  }
  files[0] = argv[2];
  files[1] = argv[3];
  ok(percale_engine_create(NULL, &engine));
  ok(percale_graph_load_file(engine, argv[1], &graph));
  ok(percale_variables_create(engine, graph, 0, &variables));
  ok(percale_session_create(engine, graph, variables, NULL, &session));
  ok(percale_dataset_from_files(engine, names, files, 2, 1.0 / 255, NULL, &digits));
  ok(percale_dataset_configure(digits, BATCH, -1, 0));
  input = percale_graph_get_input_name(graph, 0);
  output = percale_graph_get_output_name(graph, 0);

  while ((status = percale_dataset_next(digits, batch)) == NULL) {
    float* pixels = (float*)percale_tensor_get_data(batch[0]);
    const int64_t* labels = (const int64_t*)percale_tensor_get_data(batch[1]);
    const int64_t count = percale_tensor_get_dims(batch[0])[0], dims[4] = {count, SIDE, SIDE, 1};
    int64_t i;
    /* The file's images have no channel dim: view the same memory with one. */
    ok(percale_tensor_from_memory(PERCALE_DTYPE_F32, dims, 4, pixels, percale_tensor_bytes(batch[0]), NULL, NULL,
                                  &images));
    ok(percale_session_run(session, &input, &images, 1, &output, 1, NULL, 0, PERCALE_FOREVER, &scores));
    for (i = 0; i < count; ++i) {
      said[i] = best_of((const float*)percale_tensor_get_data(scores) + 10 * i);
      if (said[i] == labels[i]) ++right;
    }
    if (rows == 0) {
      for (i = 0; i + ACROSS <= count && i < DRAWN; i += ACROSS)
        draw_row(pixels + i * SIDE * SIDE, labels + i, said + i);
    }
    rows += count;
    percale_tensor_release(scores);
    percale_tensor_release(images);
    percale_tensor_release(batch[0]);
    percale_tensor_release(batch[1]);
  }
  /* the end of the data is reported this way */
  if (percale_status_code(status) != PERCALE_OUT_OF_RANGE) ok(status);
  percale_status_release(status);
  printf("%s gets %lld of %lld digits right: %.4f\n", argv[1], (long long)right, (long long)rows,
         rows == 0 ? 0.0 : (double)right / (double)rows);

  percale_dataset_release(digits);
  percale_session_release(session);
  percale_variables_release(variables);
  percale_graph_release(graph);
  percale_engine_release(engine);
  return 0;
}
