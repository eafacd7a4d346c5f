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

int main(void) {
  static char spec[4096];
  size_t spec_size, size;
  percale_engine* engine;
  percale_trainer* trainer;
  percale_trace* trace;
  percale_text* json;
  FILE* file = fopen("digits.json", "rb");
  if (file == NULL) return perror("digits.json"), 1;
  spec_size = fread(spec, 1, sizeof spec, file);
  fclose(file);
  ok(percale_engine_create(NULL, &engine));
  ok(percale_trainer_from_spec(engine, spec, spec_size, ".", NULL, NULL, &trainer));

  /* --8<-- [start:trace] */
  ok(percale_trace_create(engine, &trace));
  /* percale_session_set_trace() records the runs of a session. */
  percale_trainer_set_trace(trainer, trace);
  ok(percale_trainer_fit(trainer, NULL, 1, NULL, NULL));
  percale_trainer_set_trace(trainer, NULL);
  ok(percale_trace_json(trace, &json));
  file = fopen("trace.json", "wb");
  if (file == NULL) return perror("trace.json"), 1;
  fwrite(percale_text_data(json, &size), 1, size, file);
  fclose(file);
  /* --8<-- [end:trace] */

  printf("spans are recorded: %d\n", strstr(percale_text_data(json, NULL), "traceEvents") != NULL);
  percale_text_release(json), percale_trace_release(trace);
  percale_trainer_release(trainer), percale_engine_release(engine);
  return 0;
}
