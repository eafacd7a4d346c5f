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

/* --8<-- [start:devices] */
/* Trains a job on some devices and returns the digest of its weights. */
static percale_text* train(const char* spec, size_t size, const char* devices) {
  percale_options* options;
  percale_engine* engine;
  percale_trainer* trainer;
  percale_variables* variables;
  percale_text* digest;
  ok(percale_options_create("engine", &options));
  /* "cpu=2x1" makes two devices with a thread each. */
  ok(percale_options_set(options, "devices", devices));
  ok(percale_engine_create(options, &engine));
  percale_options_release(options);

  ok(percale_options_create("trainer", &options));
  ok(percale_options_set(options, "shards", "4")); /* each batch is cut into four parts */
  ok(percale_trainer_from_spec(engine, spec, size, ".", NULL, options, &trainer));
  percale_options_release(options);

  ok(percale_trainer_fit(trainer, NULL, 1, NULL, NULL));
  ok(percale_trainer_variables(trainer, &variables));
  ok(percale_variables_digest(variables, &digest));
  percale_variables_release(variables), percale_trainer_release(trainer), percale_engine_release(engine);
  return digest;
}
/* --8<-- [end:devices] */

int main(void) {
  static char spec[4096];
  size_t size;
  percale_text *one, *two;
  FILE* file = fopen("digits.json", "rb");
  if (file == NULL) return perror("digits.json"), 1;
  size = fread(spec, 1, sizeof spec, file);
  fclose(file);
  one = train(spec, size, "cpu:0"), two = train(spec, size, "cpu=2x1");
  printf("the same bits: %d\n", strcmp(percale_text_data(one, NULL), percale_text_data(two, NULL)) == 0);
  percale_text_release(one), percale_text_release(two);
  return 0;
}
