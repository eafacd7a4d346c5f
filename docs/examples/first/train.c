#include <percale.h>
#include <stdio.h>
#include <stdlib.h>

/* Prints an error and ends the program. */
static void ok(percale_status* status) {
  if (status == NULL) return;
  fprintf(stderr, "%s\n", percale_status_message(status, NULL));
  percale_status_release(status);
  exit(1);
}

static int32_t on_step(void* user, const percale_progress* p) {
  (void)user;
  if (p->epoch_ended) printf("epoch %d/%d  loss %.4f\n", (int)p->epoch, (int)p->epochs, p->epoch_loss);
  return 0; /* another number ends the training after this step */
}

int main(void) {
  char spec[4096];
  FILE* file = fopen("digits.json", "rb");
  size_t size;
  percale_engine* engine;
  percale_trainer* trainer;
  percale_graph* model;
  percale_variables* variables;
  percale_text* result;

  if (file == NULL) return perror("digits.json"), 1;
  size = fread(spec, 1, sizeof spec, file);
  fclose(file);

  /* --8<-- [start:train] */
  ok(percale_engine_create(NULL, &engine));
  ok(percale_trainer_from_spec(engine, spec, size, ".", NULL, NULL, &trainer));
  ok(percale_trainer_fit(trainer, NULL, 0, on_step, NULL)); /* 0: as many epochs as the job says */
  ok(percale_trainer_evaluate(trainer, NULL, &result));
  printf("test %s\n", percale_text_data(result, NULL));

  ok(percale_trainer_model(trainer, &model));
  ok(percale_trainer_variables(trainer, &variables));
  ok(percale_graph_save_file(model, variables, "digits.percale"));
  /* --8<-- [end:train] */

  percale_text_release(result);
  percale_variables_release(variables);
  percale_graph_release(model);
  percale_trainer_release(trainer);
  percale_engine_release(engine);
  return 0;
}
