/* Trainers: steps, epochs, checkpoints. */
#include "scenario.h"

static percale_status* make_trainer(void) {
  percale_trainer* made = NULL;
  percale_status* status = host_make_trainer(engine, graph, &made);
  percale_trainer_release(made);
  return status;
}

static percale_status* first_step(void) {
  percale_trainer* made = NULL;
  percale_status* status = NULL;
  TRY(host_make_trainer(engine, graph, &made));
  TRY(host_step(made, batch));
out:
  percale_trainer_release(made);
  return status;
}

static percale_status* step(void) {
  percale_status* status = host_step(trainer, batch);
  if (status == NULL) ++steps;
  return status;
}

/* A failed step has changed nothing; a successful one has taken effect. */
static void the_state_is_that_of_the_last_step(int failed) {
  char now[128] = "";
  OK(host_digest(trainer, now));
  CHECK(percale_trainer_steps(trainer) == steps);
  CHECK((strcmp(now, digest) == 0) == (failed != 0));
  memcpy(digest, now, sizeof digest);
}

static percale_status* fit(void) {
  percale_trainer* made = NULL;
  percale_status* status = NULL;
  TRY(host_make_trainer(engine, graph, &made));
  TRY(percale_trainer_fit(made, data, 2, NULL, NULL));
out:
  percale_trainer_release(made);
  return status;
}

/* The engine's threads take part, so it is random which of them the failure hits. */
static percale_status* fit_with_threads(void) {
  percale_trainer* made = NULL;
  percale_status* status = NULL;
  TRY(host_make_trainer(threaded, graph, &made));
  TRY(percale_trainer_fit(made, threaded_data, 2, NULL, NULL));
out:
  percale_trainer_release(made);
  return status;
}

static percale_status* evaluate(void) {
  percale_text* text = NULL;
  percale_status* status = percale_trainer_evaluate(trainer, data, &text);
  percale_text_release(text);
  return status;
}

static percale_status* save(void) { return percale_trainer_save(trainer, checkpoints); }

static percale_status* restore(void) { return percale_trainer_restore(second, checkpoints); }

/* There was a complete checkpoint of this state before the attempt, and there is one after it. */
static void the_checkpoint_is_whole(int failed) {
  char now[128] = "";
  (void)failed;
  OK(percale_trainer_restore(second, checkpoints));
  OK(host_digest(second, now));
  CHECK(strcmp(now, digest) == 0 && percale_trainer_steps(second) == steps);
}

void the_steps_were_the_same_as_without_failures(void) {
  percale_trainer* calm = NULL;
  char wanted[128] = "", got[128] = "";
  int64_t i;
  OK(host_make_trainer(engine, graph, &calm));
  for (i = 0; i < steps; ++i) OK(host_step(calm, batch));
  OK(host_digest(calm, wanted));
  OK(host_digest(trainer, got));
  CHECK(strcmp(wanted, got) == 0);
  percale_trainer_release(calm);
}

const scenario training_scenarios[] = {
    {"trainer", make_trainer, a_run_gives_the_same_bits, 0},
    {"trainer and first step", first_step, a_run_gives_the_same_bits, 1},
    {"step", step, the_state_is_that_of_the_last_step, 0},
    {"fit", fit, a_run_gives_the_same_bits, 1},
    {"fit with threads", fit_with_threads, a_run_gives_the_same_bits, 1},
    {"evaluate", evaluate, a_run_gives_the_same_bits, 0},
    {"save a checkpoint", save, the_checkpoint_is_whole, 0},
    {"restore a checkpoint", restore, the_checkpoint_is_whole, 0},
    {NULL, NULL, NULL, 0},
};
