/* Tests statuses and texts: success is NULL, an error has a code and a message, and the caller
 * releases it. */
#include "check.h"

static void null_is_success(void) {
  size_t size = 1;
  CHECK(percale_status_code(NULL) == PERCALE_OK);
  CHECK(strcmp(percale_status_message(NULL, &size), "") == 0 && size == 0);
  percale_status_release(NULL);
}

static void a_host_makes_a_status(void) {
  percale_status* status = percale_status_create(PERCALE_ABORTED, "no more", 2);
  CHECK(percale_status_code(status) == PERCALE_ABORTED);
  CHECK(strcmp(percale_status_message(status, NULL), "no") == 0);
  percale_status_release(status);
  CHECK(percale_status_create(PERCALE_OK, "fine", PERCALE_NUL_ENDED) == NULL);
}

static void a_status_lives_until_it_is_released(void) {
  const int64_t before = percale_status_live_count();
  percale_options* options = (percale_options*)&options;
  percale_status* status = percale_options_create("sesion", &options);
  size_t size = 0;
  CHECK(options == NULL);
  CHECK(percale_status_code(status) == PERCALE_NOT_FOUND);
  CHECK(strlen(percale_status_message(status, &size)) == size && size > 0);
  CHECK(percale_status_live_count() == before + 1);
  percale_status_release(status);
  CHECK(percale_status_live_count() == before);
}

static void a_status_lives_for_as_long_as_somebody_has_it(void) {
  const int64_t before = percale_status_live_count();
  percale_options* options = NULL;
  percale_status* status = percale_options_create("sesion", &options);
  CHECK(percale_status_retain(status) == status && percale_status_retain(NULL) == NULL);
  percale_status_release(status);
  CHECK(percale_status_code(status) == PERCALE_NOT_FOUND && percale_status_live_count() == before + 1);
  percale_status_release(status);
  CHECK(percale_status_live_count() == before);
}

static void dtypes_have_names(void) {
  CHECK(strcmp(percale_dtype_name(PERCALE_DTYPE_F32), "f32") == 0);
  CHECK(strcmp(percale_dtype_name(PERCALE_DTYPE_F8E5M2FNUZ), "f8e5m2fnuz") == 0);
  CHECK(strcmp(percale_dtype_name(PERCALE_DTYPE_I2), "i2") == 0);
  CHECK(strcmp(percale_dtype_name(PERCALE_DTYPE_INVALID), "invalid") == 0);
  CHECK(strcmp(percale_dtype_name(27), "invalid") == 0 && strcmp(percale_dtype_name(257), "invalid") == 0);
  CHECK(strcmp(percale_dtype_name(-1), "invalid") == 0);
}

static void codes_have_the_names_of_grpc(void) {
  CHECK(strcmp(percale_code_name(PERCALE_OK), "OK") == 0);
  CHECK(strcmp(percale_code_name(PERCALE_UNAUTHENTICATED), "UNAUTHENTICATED") == 0);
  CHECK(strcmp(percale_code_name(17), "UNKNOWN") == 0);
  CHECK(strcmp(percale_code_name(-1), "UNKNOWN") == 0);
}

static void no_text_is_the_empty_text(void) {
  size_t size = 1;
  CHECK(strcmp(percale_text_data(NULL, &size), "") == 0 && size == 0);
  percale_text_release(NULL);
}

int main(void) {
  null_is_success();
  a_host_makes_a_status();
  a_status_lives_until_it_is_released();
  a_status_lives_for_as_long_as_somebody_has_it();
  dtypes_have_names();
  codes_have_the_names_of_grpc();
  no_text_is_the_empty_text();
  return check_done();
}
