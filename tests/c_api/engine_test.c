/* Tests engines: they are made from options, describe themselves, and several can exist at once. */
#include <string.h>

#include "check.h"

static percale_engine* make(const char* key, const char* value) {
  percale_options* options = NULL;
  percale_engine* engine = NULL;
  OK(percale_options_create("engine", &options));
  OK(percale_options_set(options, key, value));
  OK(percale_engine_create(options, &engine));
  percale_options_release(options);
  return engine;
}

static void two_engines_live_side_by_side(void) {
  percale_engine *one = NULL, *other = make("devices", "cpu=2x1");
  OK(percale_engine_create(NULL, &one));
  CHECK(percale_engine_device_count(one) == 1 && percale_engine_device_count(other) == 2);
  CHECK(strcmp(percale_engine_get_device_name(one, 0), "cpu:0") == 0);
  CHECK(strcmp(percale_engine_get_device_name(other, 1), "cpu:1") == 0);
  CHECK(percale_engine_get_device_name(one, 1) == NULL);
  CHECK(percale_engine_retain(one) == one);
  percale_engine_release(one);
  CHECK(percale_engine_device_count(one) == 1);
  percale_engine_release(one);
  percale_engine_release(other);
}

static void options_that_mean_nothing_are_refused(void) {
  static const char* const kDevices[] = {"cpu:", "cpu:-1", "cpu:99999999999", "nope:0", "cpu=0x0", ",", "cpu:0,cpu:0"};
  size_t i;
  percale_options* options = NULL;
  percale_engine* engine = NULL;
  for (i = 0; i < sizeof kDevices / sizeof kDevices[0]; ++i) {
    percale_status* status;
    OK(percale_options_create("engine", &options));
    OK(percale_options_set(options, "devices", kDevices[i]));
    status = percale_engine_create(options, &engine);
    if (status == NULL) fprintf(stderr, "devices '%s' was taken\n", kDevices[i]);
    CHECK(status != NULL && engine == NULL);
    percale_status_release(status);
    percale_options_release(options);
  }
  OK(percale_options_create("session", &options));
  FAILS(percale_engine_create(options, &engine), PERCALE_INVALID_ARGUMENT, "of kind 'session', wanted 'engine'");
  percale_options_release(options);
  OK(percale_options_create("engine", &options));
  OK(percale_options_set(options, "plugin_path", "/nowhere/libpercale_x.so"));
  FAILS(percale_engine_create(options, &engine), PERCALE_NOT_FOUND, "/nowhere/libpercale_x.so");
  OK(percale_options_set(options, "plugin_path", ""));
  CHECK(engine == NULL);
  OK(percale_options_set(options, "onednn", "require"));
  {
    percale_status* status = percale_engine_create(options, &engine);
    if (status == NULL) { /* the plug-in was built */
      CHECK(engine != NULL);
      percale_engine_release(engine);
    } else {
      CHECK(percale_status_code(status) == PERCALE_FAILED_PRECONDITION);
      CHECK(strstr(percale_status_message(status, NULL), "libpercale_onednn.so") != NULL);
      CHECK(engine == NULL);
      percale_status_release(status);
    }
  }
  percale_options_release(options);
}

static void an_engine_without_devices_is_an_engine(void) {
  percale_engine* engine = make("devices", "none");
  CHECK(percale_engine_device_count(engine) == 0);
  percale_engine_release(engine);
}

static void an_engine_describes_itself(void) {
  static const char* const kWhat[] = {"info",    "ops",        "passes",    "kernels",  "losses",
                                      "metrics", "optimizers", "schedules", "asked_ops"};
  static const char* const kWords[] = {"\"fingerprint\":\"percale-",
                                       "\"name\":\"Add\"",
                                       "\"name\":\"",
                                       "\"device\":\"cpu\"",
                                       "\"huber\"",
                                       "\"auc\"",
                                       "\"adamw\"",
                                       "\"one_cycle\"",
                                       "[]"};
  percale_engine* engine = NULL;
  percale_text* text = NULL;
  size_t i;
  OK(percale_engine_create(NULL, &engine));
  for (i = 0; i < sizeof kWhat / sizeof *kWhat; ++i) {
    OK(percale_engine_describe(engine, kWhat[i], &text));
    CHECK(strstr(percale_text_data(text, NULL), kWords[i]) != NULL);
    percale_text_release(text);
  }
  FAILS(percale_engine_describe(engine, "weather", &text), PERCALE_NOT_FOUND, "info, ops");
  REFUSES(percale_engine_describe(NULL, "info", &text), "engine");
  REFUSES(percale_engine_describe(engine, NULL, &text), "what");
  REFUSES(percale_engine_describe(engine, "info", NULL), "out_json");
  CHECK(text == NULL);
  percale_engine_release(engine);
}

static void the_memory_limit_holds(void) {
  percale_engine* engine = make("memory_limit", "1000000");
  percale_tensor *small = NULL, *large = NULL;
  const int64_t dims[1] = {100000}, more[1] = {250000};
  int64_t used = -1, peak = -1;
  OK(percale_tensor_create(engine, PERCALE_DTYPE_F32, dims, 1, &small));
  FAILS(percale_tensor_create(engine, PERCALE_DTYPE_F32, more, 1, &large), PERCALE_RESOURCE_EXHAUSTED, "");
  percale_engine_memory(engine, &used, &peak);
  CHECK(used >= 400000 && used <= 1000000 && peak >= used);
  CHECK(((const float*)percale_tensor_get_data(small))[99999] == 0);
  CHECK((size_t)percale_tensor_get_data(small) % 64 == 0);
  percale_tensor_release(small);
  percale_engine_memory(engine, &used, NULL);
  CHECK(used == 0);
  percale_engine_release(engine);
}

static void a_tensor_outlives_its_engine(void) {
  percale_engine* engine = NULL;
  percale_tensor* tensor = NULL;
  const int64_t dims[2] = {3, 0};
  OK(percale_engine_create(NULL, &engine));
  OK(percale_tensor_create(engine, PERCALE_DTYPE_F64, dims, 2, &tensor));
  percale_engine_release(engine);
  CHECK(percale_tensor_element_count(tensor) == 0 && percale_tensor_get_data(tensor) != NULL);
  percale_tensor_release(tensor);
}

static int logged = 0, log_ended = 0;
static void count_message(void* user, int32_t level, const char* message, size_t size) {
  CHECK(user == &logged && level >= 0 && strlen(message) == size);
  ++logged;
}
static void end_log(void* user) {
  CHECK(user == &logged);
  ++log_ended;
}

static void what_a_log_function_needs_ends_when_it_is_replaced(void) {
  percale_engine *engine = NULL, *kept = NULL;
  OK(percale_engine_create(NULL, &engine));
  OK(percale_engine_set_log_owned(engine, count_message, &logged, end_log));
  CHECK(log_ended == 0);
  OK(percale_engine_set_log_owned(engine, count_message, &logged, end_log));
  CHECK(log_ended == 1);
  percale_engine_set_log(engine, NULL, NULL);
  CHECK(log_ended == 2);
  percale_engine_set_log(engine, count_message, &logged);
  OK(percale_engine_set_log_owned(engine, count_message, &logged, end_log));
  CHECK(log_ended == 2);
  REFUSES(percale_engine_set_log_owned(NULL, count_message, &logged, end_log), "engine");
  kept = percale_engine_retain(engine);
  percale_engine_release(engine);
  CHECK(log_ended == 2);
  percale_engine_release(kept);
  CHECK(log_ended == 3);
}

static void layers_describe_themselves(void) {
  percale_engine* engine = NULL;
  percale_text* text = NULL;
  const char* json;
  OK(percale_engine_create(NULL, &engine));
  OK(percale_engine_describe(engine, "layers", &text));
  json = percale_text_data(text, NULL);
  CHECK(strstr(json, "{\"name\":\"Dense\",\"doc\":\"Product of") != NULL);
  CHECK(strstr(json,
               "\"inputs\":{\"min\":1,\"max\":1},\"attributes\":[{\"name\":\"units\",\"kind\":\"int\","
               "\"required\":true,\"min\":1,\"doc\":\"Size of") != NULL);
  CHECK(strstr(json, "\"default\":\"glorot_uniform\",\"doc\":\"Initial value of the kernel.\"") != NULL);
  CHECK(strstr(json, "\"name\":\"MultiHeadAttention\"") != NULL);
  percale_text_release(text);
  FAILS(percale_engine_describe(engine, "layer", &text), PERCALE_NOT_FOUND, "ops, layers,");
  percale_engine_release(engine);
}

static void nothing_may_be_null(void) {
  percale_engine* engine = NULL;
  percale_tensor* tensor = NULL;
  int64_t used = 1;
  const int64_t unknown[1] = {-1};
  REFUSES(percale_engine_create(NULL, NULL), "out_engine");
  REFUSES(percale_tensor_create(NULL, PERCALE_DTYPE_F32, NULL, 0, &tensor), "engine");
  OK(percale_engine_create(NULL, &engine));
  REFUSES(percale_tensor_create(engine, PERCALE_DTYPE_F32, NULL, 0, NULL), "out_tensor");
  REFUSES(percale_tensor_create(engine, PERCALE_DTYPE_F32, NULL, 1, &tensor), "dims");
  FAILS(percale_tensor_create(engine, 0, NULL, 0, &tensor), PERCALE_INVALID_ARGUMENT, "0 is no dtype");
  FAILS(percale_tensor_create(engine, PERCALE_DTYPE_F32, unknown, 1, &tensor), PERCALE_INVALID_ARGUMENT, "known dims");
  percale_engine_set_log(engine, NULL, NULL);
  percale_engine_set_log(NULL, NULL, NULL);
  percale_engine_release(engine);
  percale_engine_release(NULL);
  CHECK(percale_engine_retain(NULL) == NULL && percale_engine_device_count(NULL) == 0);
  CHECK(percale_engine_get_device_name(NULL, 0) == NULL);
  percale_engine_memory(NULL, &used, NULL);
  CHECK(used == 0);
}

int main(void) {
  two_engines_live_side_by_side();
  options_that_mean_nothing_are_refused();
  an_engine_without_devices_is_an_engine();
  an_engine_describes_itself();
  the_memory_limit_holds();
  a_tensor_outlives_its_engine();
  what_a_log_function_needs_ends_when_it_is_replaced();
  layers_describe_themselves();
  nothing_may_be_null();
  return check_done();
}
