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

static char spec[4096];
static size_t size;

static percale_trainer* new_trainer(percale_engine* engine) {
  percale_trainer* trainer;
  ok(percale_trainer_from_spec(engine, spec, size, ".", NULL, NULL, &trainer));
  return trainer;
}

static percale_text* digest(percale_trainer* trainer) {
  percale_variables* variables;
  percale_text* text;
  ok(percale_trainer_variables(trainer, &variables));
  ok(percale_variables_digest(variables, &text));
  percale_variables_release(variables);
  return text;
}

int main(void) {
  percale_engine* engine;
  percale_text *resumed, *uninterrupted;
  FILE* file = fopen("digits.json", "rb");
  if (file == NULL) return perror("digits.json"), 1;
  size = fread(spec, 1, sizeof spec, file);
  fclose(file);
  ok(percale_engine_create(NULL, &engine));

  /* --8<-- [start:resume] */
  percale_trainer* first = new_trainer(engine);
  ok(percale_trainer_fit(first, NULL, 1, NULL, NULL));
  ok(percale_trainer_save(first, "checkpoints")); /* weights, optimizer, place in the data */
  percale_trainer_release(first);

  percale_trainer* second = new_trainer(engine); /* perhaps in another process, after a crash */
  /* The newest whole checkpoint of the folder. */
  ok(percale_trainer_restore(second, "checkpoints"));
  /* The number counts all epochs, so this trains one more. */
  ok(percale_trainer_fit(second, NULL, 2, NULL, NULL));
  /* --8<-- [end:resume] */

  percale_trainer* whole = new_trainer(engine);
  ok(percale_trainer_fit(whole, NULL, 2, NULL, NULL));
  resumed = digest(second), uninterrupted = digest(whole);
  printf("the same bits: %d\n", strcmp(percale_text_data(resumed, NULL), percale_text_data(uninterrupted, NULL)) == 0);
  percale_text_release(resumed), percale_text_release(uninterrupted);
  percale_trainer_release(second), percale_trainer_release(whole), percale_engine_release(engine);
  return 0;
}
