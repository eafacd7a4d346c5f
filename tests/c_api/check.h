/* Helpers shared by the C tests of the API. A failed check is printed and counted; the program
 * continues. */
#ifndef PERCALE_TESTS_C_API_CHECK_H_
#define PERCALE_TESTS_C_API_CHECK_H_

#include <percale.h>
#include <stdio.h>
#include <string.h>

#define CHECK_HELPER static __attribute__((unused))

/* The failed checks of the program. Weak, so that all its files count together. */
__attribute__((weak)) int check_failures = 0;

CHECK_HELPER void check_that(int condition, const char* text, const char* file, int line) {
  if (condition) return;
  ++check_failures;
  fprintf(stderr, "%s:%d: %s\n", file, line, text);
}

CHECK_HELPER void check_ok(percale_status* status, const char* text, const char* file, int line) {
  if (status == NULL) return;
  ++check_failures;
  fprintf(stderr, "%s:%d: %s\n  %s: %s\n", file, line, text, percale_code_name(percale_status_code(status)),
          percale_status_message(status, NULL));
  percale_status_release(status);
}

/* Checks that the call fails with this code. The message must contain `words` and must not start
 * with the name of a function. */
CHECK_HELPER void check_fails(percale_status* status, percale_code code, const char* words, const char* text,
                              const char* file, int line) {
  const char* message = percale_status_message(status, NULL);
  if (percale_status_code(status) != code || strstr(message, words) == NULL || strncmp(message, "percale_", 8) == 0) {
    ++check_failures;
    fprintf(stderr, "%s:%d: %s\n  wanted %s: ...%s..., got %s: %s\n", file, line, text, percale_code_name(code), words,
            percale_code_name(percale_status_code(status)), message);
  }
  percale_status_release(status);
}

#define CHECK(condition) check_that((condition) ? 1 : 0, #condition, __FILE__, __LINE__)
#define OK(call) check_ok((call), #call, __FILE__, __LINE__)
#define FAILS(call, code, words) check_fails((call), (code), (words), #call, __FILE__, __LINE__)
/* Checks that the call rejects a NULL for the argument `name`. */
#define REFUSES(call, name) FAILS(call, PERCALE_INVALID_ARGUMENT, "'" name "' is NULL")

/* The exit code of main(): 0 if every check held and every status was released. */
CHECK_HELPER int check_done(void) {
  CHECK(percale_status_live_count() == 0);
  return check_failures == 0 ? 0 : 1;
}

#endif /* PERCALE_TESTS_C_API_CHECK_H_ */
