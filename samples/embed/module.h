/* The interface of a module to its host. It does not depend on Percale: the host can open any
 * other module as well. */
#ifndef PERCALE_SAMPLES_EMBED_MODULE_H_
#define PERCALE_SAMPLES_EMBED_MODULE_H_

#include <stddef.h>

typedef struct work_module {
  /** Describes what the module is built on, for people. */
  const char* (*describe)(void);
  /** Works, and writes a line about it: the result if it returns 0, else the error. */
  int (*work)(char* line, size_t room);
} work_module;

/** The only function that a module exports, and its name. */
typedef const work_module* (*work_module_get_function)(void);
#define WORK_MODULE_GET "work_module_get"

#endif /* PERCALE_SAMPLES_EMBED_MODULE_H_ */
