#include <percale.h>
#include <stdio.h>

int main(void) {
  percale_engine* engine;
  percale_graph* graph;
  percale_status* status = percale_engine_create(NULL, &engine);
  if (status != NULL) return fprintf(stderr, "%s\n", percale_status_message(status, NULL)), 1;

  status = percale_graph_load_file(engine, "no-such-model.percale", &graph); /* graph is NULL now */
  if (percale_status_code(status) == PERCALE_NOT_FOUND) {
    printf("%s: %s\n", percale_code_name(percale_status_code(status)), percale_status_message(status, NULL));
  }
  percale_status_release(status); /* the caller owns it; NULL, which is success, needs no release */
  percale_engine_release(engine);
  return 0;
}
