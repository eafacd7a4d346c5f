/* What a module offers to its host. Nothing here is Percale's: the host would open any other module as well. */
#ifndef PERCALE_SAMPLES_EMBED_MODULE_H_
#define PERCALE_SAMPLES_EMBED_MODULE_H_

#include <stddef.h>

typedef struct work_module {
  /** What it is built on, for people. */
  const char* (*describe)(void);
  /** Works, and writes a line that says what came of it: the result when it returns 0, else what went wrong. */
  int (*work)(char* line, size_t room);
} work_module;

/** The one function that a module exports, under this name. */
typedef const work_module* (*work_module_get_function)(void);
#define WORK_MODULE_GET "work_module_get"

#endif /* PERCALE_SAMPLES_EMBED_MODULE_H_ */
