/* Checks that a host whose locale has a decimal comma gets the same texts: history, plots,
 * messages, JSON, options.
 * Usage: comma_locale LOCALE */
#include <locale.h>
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "host.h"

static percale_engine* engine = NULL;

/* Collects the library's texts about a training of two steps, without times. */
static void texts_of_a_training(char* out, size_t room) {
  percale_graph* graph = NULL;
  percale_trainer* trainer = NULL;
  percale_options* options = NULL;
  percale_text *csv = NULL, *svg = NULL;
  percale_tensor* batch[2];
  percale_status* status;
  const char* line;
  size_t used = 0;
  int i;
  OK(host_make_graph(engine, &graph));
  OK(host_make_trainer(engine, graph, &trainer));
  OK(host_make_batch(engine, HOST_ROWS, batch));
  for (i = 0; i < 2; ++i) OK(host_step(trainer, batch));
  OK(percale_trainer_history(trainer, "csv", &csv));
  for (line = percale_text_data(csv, NULL); line != NULL && *line != '\0';
       line = strchr(line, '\n'), line += line != NULL) {
    int fields[5] = {0, 0, 0, 0, 0}, field = 0;
    const char* at;
    for (at = line; *at != '\0' && *at != '\n'; ++at) {
      if (*at == ',')
        field += field < 4;
      else
        ++fields[field];
      if (field < 4 && used + 1 < room) out[used++] = *at; /* the last field is seconds */
    }
    CHECK(fields[3] > 0 && fields[4] > 0 && strchr(line, '\n') != NULL);
  }
  out[used] = '\0';
  OK(percale_trainer_history(trainer, "svg", &svg));
  snprintf(out + used, room - used, "%s", percale_text_data(svg, NULL));
  used += strlen(out + used);
  OK(percale_options_create("trainer", &options));
  OK(percale_options_set_float(options, "clip_norm", 0.25));
  OK(percale_options_set(options, "optimizer", "{\"name\": \"sgd\", \"learning_rate\": 0.125}"));
  status = percale_options_set(options, "ema", "1.5");
  if (status == NULL) {
    percale_trainer* wrong = NULL;
    status = percale_trainer_create(engine, graph, NULL, options, &wrong);
  }
  CHECK(status != NULL);
  snprintf(out + used, room - used, "%s", percale_status_message(status, NULL));
  percale_status_release(status);
  percale_options_release(options);
  percale_text_release(csv);
  percale_text_release(svg);
  percale_tensor_release(batch[0]);
  percale_tensor_release(batch[1]);
  percale_trainer_release(trainer);
  percale_graph_release(graph);
}

int main(int argc, char** argv) {
  static char point[60000], comma[60000], number[8];
  if (argc != 2) return 2;
  OK(host_make_engine(1, NULL, 0, &engine));
  texts_of_a_training(point, sizeof point);
  if (setlocale(LC_ALL, argv[1]) == NULL) {
    fprintf(stderr, "there is no locale '%s'\n", argv[1]);
    return 1;
  }
  snprintf(number, sizeof number, "%.1f", 1.5);
  CHECK(strcmp(number, "1,5") == 0);
  texts_of_a_training(comma, sizeof comma);
  CHECK(strcmp(point, comma) == 0);
  percale_engine_release(engine);
  return check_done();
}
