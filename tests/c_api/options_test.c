/* Tests options: keys are looked up in the table of their kind; values are converted and checked
 * when they are set. */
#include "check.h"

static percale_options* make(const char* kind) {
  percale_options* options = NULL;
  OK(percale_options_create(kind, &options));
  return options;
}

static void an_unknown_kind_names_those_there_are(void) {
  percale_options* options = NULL;
  FAILS(percale_options_create("motor", &options), PERCALE_NOT_FOUND, "engine, session");
  REFUSES(percale_options_create(NULL, &options), "kind");
  REFUSES(percale_options_create("engine", NULL), "out_options");
}

static void an_unknown_key_names_the_nearest(void) {
  percale_options* options = make("engine");
  FAILS(percale_options_set(options, "thread", "2"), PERCALE_NOT_FOUND, "did you mean 'threads'? There are threads, ");
  FAILS(percale_options_set_int(options, "zzzzzzzzz", 1), PERCALE_NOT_FOUND, "no engine option is called 'zzzzzzzzz'");
  percale_options_release(options);
}

static void a_value_is_checked_where_it_is_set(void) {
  percale_options* options = make("engine");
  OK(percale_options_set(options, "threads", "3"));
  OK(percale_options_set_int(options, "threads", 0));
  FAILS(percale_options_set_int(options, "threads", -1), PERCALE_OUT_OF_RANGE, "wanted 0 to 1024");
  FAILS(percale_options_set(options, "threads", "two"), PERCALE_INVALID_ARGUMENT, "'two' is no integer");
  FAILS(percale_options_set(options, "threads", "2.5"), PERCALE_INVALID_ARGUMENT, "no integer");
  FAILS(percale_options_set(options, "threads", "99999999999999999999"), PERCALE_INVALID_ARGUMENT, "no integer");
  FAILS(percale_options_set(options, "isa", "mmx"), PERCALE_OUT_OF_RANGE, "auto|sse4|avx2|avx512");
  OK(percale_options_set(options, "isa", "avx2"));
  FAILS(percale_options_set(options, "deterministic", "maybe"), PERCALE_OUT_OF_RANGE, "on or off");
  OK(percale_options_set(options, "deterministic", "true"));
  FAILS(percale_options_set_float(options, "threads", 1.5), PERCALE_INVALID_ARGUMENT, "no integer");
  OK(percale_options_set_float(options, "threads", 2));
  percale_options_release(options);
}

static void a_trainer_option_has_the_range_of_its_key(void) {
  percale_options* options = make("trainer");
  OK(percale_options_set_int(options, "shards", 65536));
  FAILS(percale_options_set_int(options, "shards", 65537), PERCALE_OUT_OF_RANGE, "option 'shards': 65537, wanted 0 to");
  FAILS(percale_options_set_int(options, "seed", -1), PERCALE_OUT_OF_RANGE, "wanted at least 0");
  FAILS(percale_options_set_int(options, "epochs", 0), PERCALE_OUT_OF_RANGE, "option 'epochs': 0, wanted");
  FAILS(percale_options_set_float(options, "ema", 1), PERCALE_OUT_OF_RANGE, "wanted 0 to 0.999999999");
  FAILS(percale_options_set(options, "precision", "f8"), PERCALE_OUT_OF_RANGE, "f32|f64|bf16");
  FAILS(percale_options_set(options, "mode", "sink"), PERCALE_INVALID_ARGUMENT, "sink");
  FAILS(percale_options_set(options, "epoch", "2"), PERCALE_NOT_FOUND, "did you mean 'epochs'");
  OK(percale_options_set(options, "memory_limit", "2GB"));
  percale_options_release(options);
}

static void nothing_may_be_null(void) {
  percale_options* options = make("session");
  REFUSES(percale_options_set(NULL, "cache_size", "1"), "options");
  REFUSES(percale_options_set(options, NULL, "1"), "key");
  REFUSES(percale_options_set(options, "cache_size", NULL), "value");
  REFUSES(percale_options_set_int(NULL, "cache_size", 1), "options");
  REFUSES(percale_options_set_int(options, NULL, 1), "key");
  REFUSES(percale_options_set_float(NULL, "cache_size", 1), "options");
  REFUSES(percale_options_set_float(options, NULL, 1), "key");
  percale_options_release(options);
  percale_options_release(NULL);
}

static void every_option_describes_itself(void) {
  percale_text* text = NULL;
  OK(percale_options_describe(&text));
  CHECK(strstr(percale_text_data(text, NULL),
               "{\"kind\":\"engine\",\"key\":\"threads\",\"type\":\"int\",\"default\":\"0\"") != NULL);
  CHECK(strstr(percale_text_data(text, NULL),
               "{\"kind\":\"trainer\",\"key\":\"epochs\",\"type\":\"int\",\"default\":\"1\",\"min\":1") != NULL);
  percale_text_release(text);
  REFUSES(percale_options_describe(NULL), "out_json");
}

int main(void) {
  an_unknown_kind_names_those_there_are();
  an_unknown_key_names_the_nearest();
  a_value_is_checked_where_it_is_set();
  a_trainer_option_has_the_range_of_its_key();
  nothing_may_be_null();
  every_option_describes_itself();
  return check_done();
}
