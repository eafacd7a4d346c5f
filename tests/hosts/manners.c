/* Checks around every call that the process is as the host set it: floating-point mode, signal
 * handlers and mask, locale, working folder, umask, environment, open files. The library prints
 * nothing, and no thread outlives its engine. The host's settings are unusual ones, so that a
 * library that restores defaults is noticed.
 * Usage: manners FOLDER */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <fenv.h>
#include <locale.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"
#include "host.h"
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

extern char** environ;

typedef struct state {
  int rounding;
  unsigned control; /* of SSE, without exception flags, which a computation may set */
  void (*handlers[32])(int);
  int handler_flags[32];
  sigset_t mask;
  char locale[256], folder[2048];
  mode_t creation;
  int64_t files;
  unsigned long environment;
  off_t printed;
} state;

static int capture = -1; /* replaces stdout and stderr */

static state look(void) {
  state s;
  int i;
  char** e;
  memset(&s, 0, sizeof s);
  s.rounding = fegetround();
#if defined(__x86_64__)
  s.control = _mm_getcsr() & ~0x3Fu;
#endif
  for (i = 1; i < 32; ++i) {
    struct sigaction action;
    if (sigaction(i, NULL, &action) != 0) continue;
    s.handlers[i] = action.sa_handler;
    s.handler_flags[i] = action.sa_flags;
  }
  pthread_sigmask(SIG_SETMASK, NULL, &s.mask);
  snprintf(s.locale, sizeof s.locale, "%s", setlocale(LC_ALL, NULL));
  if (getcwd(s.folder, sizeof s.folder) == NULL) s.folder[0] = 0;
  s.creation = umask(0);
  umask(s.creation);
  s.files = host_count_entries("/proc/self/fd");
  for (e = environ; *e != NULL; ++e) s.environment = s.environment * 31 + strlen(*e);
  s.printed = lseek(capture, 0, SEEK_END);
  return s;
}

/* `files` is the allowed number of additional open files. */
static void compare(const state* before, const state* now, int files, const char* call, int line) {
  const int failures = check_failures;
  CHECK(now->rounding == before->rounding);
  CHECK(now->control == before->control);
  CHECK(memcmp(now->handlers, before->handlers, sizeof now->handlers) == 0);
  CHECK(memcmp(now->handler_flags, before->handler_flags, sizeof now->handler_flags) == 0);
  CHECK(memcmp(&now->mask, &before->mask, sizeof now->mask) == 0);
  CHECK(strcmp(now->locale, before->locale) == 0);
  CHECK(strcmp(now->folder, before->folder) == 0);
  CHECK(now->creation == before->creation);
  CHECK(now->files == before->files + files);
  CHECK(now->environment == before->environment);
  CHECK(now->printed == before->printed);
  if (check_failures != failures) fprintf(stderr, "  line %d: %s\n", line, call);
}

/* Makes a call and compares the state before and after it. */
#define CALM(call)                                \
  do {                                            \
    const state before = look();                  \
    state after;                                  \
    call;                                         \
    after = look();                               \
    compare(&before, &after, 0, #call, __LINE__); \
  } while (0)

static void ignore(int number) { (void)number; }

static void be_unusual(const char* folder) {
  struct sigaction mine;
  sigset_t blocked;
  setlocale(LC_ALL, "C.UTF-8");
  if (setlocale(LC_NUMERIC, "de_DE.UTF-8") == NULL) fprintf(stderr, "(no locale with a decimal comma here)\n");
  CHECK(chdir(folder) == 0);
  umask(027);
  memset(&mine, 0, sizeof mine);
  mine.sa_handler = ignore;
  sigaction(SIGFPE, &mine, NULL);
  sigaction(SIGPIPE, &mine, NULL);
  sigaction(SIGUSR2, &mine, NULL);
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGUSR1);
  pthread_sigmask(SIG_SETMASK, &blocked, NULL);
  fesetround(FE_UPWARD);
#if defined(__x86_64__)
  _mm_setcsr(_mm_getcsr() | 0x8040); /* denormals are zero as inputs and as results */
#endif
}

static int32_t go_on(void* user, const percale_progress* progress) {
  (void)progress;
  *(int*)user += fegetround() == FE_UPWARD;
  return 0;
}

static void all_calls(const char* folder) {
  static const char* const names[2] = {"x", "t"};
  static const char* const fetch = "y";
  char path[4000], checkpoints[4000], array[4000], values[4000];
  percale_options* options = NULL;
  percale_engine* engine = NULL;
  percale_graph *built = NULL, *graph = NULL, *model = NULL;
  percale_variables* variables = NULL;
  percale_session* session = NULL;
  percale_trainer* trainer = NULL;
  percale_dataset* data = NULL;
  percale_call* call = NULL;
  percale_event* event = NULL;
  percale_text* text = NULL;
  percale_trace* trace = NULL;
  percale_tensor *batch[2] = {NULL, NULL}, *y = NULL, *loaded = NULL;
  int upward = 0;
  const percale_dtype dtype = PERCALE_DTYPE_F32;
  const int64_t* dims;
  const size_t rank = 4;
  snprintf(path, sizeof path, "%s/manners.percale", folder);
  snprintf(checkpoints, sizeof checkpoints, "%s/manners-checkpoints", folder);
  snprintf(array, sizeof array, "%s/manners.npy", folder);
  snprintf(values, sizeof values, "%s/manners.safetensors", folder);
  host_remove_tree(checkpoints);
  CALM(OK(percale_options_create("engine", &options)));
  CALM(OK(percale_options_set_int(options, "threads", 3)));
  CALM(FAILS(percale_options_set(options, "thread", "3"), PERCALE_NOT_FOUND, "threads"));
  CALM(OK(percale_engine_create(options, &engine)));
  CALM(percale_options_release(options));
  CALM(OK(percale_engine_describe(engine, "info", &text)));
  CALM(percale_text_release(text));
  CALM(OK(host_make_graph(engine, &built)));
  CALM(OK(host_make_batch(engine, 256, batch)));
  CALM(OK(percale_graph_save_file(built, NULL, path)));
  CALM(OK(percale_graph_load_file(engine, path, &graph)));
  CALM(FAILS(percale_graph_load_file(engine, "nowhere.percale", &model), PERCALE_NOT_FOUND, "nowhere"));
  CALM(OK(percale_graph_draw(graph, "html", NULL, &text)));
  CALM(percale_text_release(text));
  CALM(OK(percale_variables_create(engine, graph, 1, &variables)));
  CALM(OK(percale_variables_digest(variables, &text)));
  CALM(percale_text_release(text));
  CALM(OK(percale_variables_save(variables, values)));
  CALM(OK(percale_variables_load(variables, values, 1)));
  CALM(OK(percale_session_create(engine, graph, variables, NULL, &session)));
  CALM(OK(percale_trace_create(engine, &trace)));
  CALM(percale_session_set_trace(session, trace));
  CALM(OK(host_run(session, batch[0], &y)));
  CALM(OK(percale_trace_json(trace, &text)));
  CALM(percale_text_release(text));
  CALM(percale_trace_release(trace));
  CALM(OK(percale_tensor_save(y, array)));
  CALM(OK(percale_tensor_load(engine, array, &loaded)));
  CALM(percale_tensor_release(loaded));
  dims = percale_tensor_get_dims(batch[0]);
  CALM(OK(percale_call_create(session, names, &dtype, &dims, &rank, 1, &fetch, 1, &call)));
  CALM(OK(percale_call_run(call, batch, &y)));
  CALM(percale_call_release(call));
  CALM(OK(percale_session_run_async(session, names, batch, 1, &fetch, 1, NULL, 0, PERCALE_FOREVER, &event)));
  CALM(OK(percale_event_wait(event, PERCALE_FOREVER)));
  CALM(percale_event_release(event));
  CALM(percale_tensor_release(y));
  CALM(OK(percale_dataset_from_tensors(engine, names, batch, 2, &data)));
  CALM(OK(percale_dataset_configure(data, 64, 3, 0)));
  CALM(OK(host_make_trainer(engine, graph, &trainer)));
  CALM(OK(percale_trainer_fit(trainer, data, 2, go_on, &upward)));
  CHECK(upward == 8); /* the host's mode applies in the host's function */
  CALM(OK(percale_trainer_evaluate(trainer, data, &text)));
  /* No decimal comma, and no list of numbers. */
  CHECK(strchr(percale_text_data(text, NULL), ',') == NULL);
  CALM(percale_text_release(text));
  CALM(OK(percale_trainer_save(trainer, checkpoints)));
  CALM(OK(percale_trainer_restore(trainer, checkpoints)));
  CALM(OK(percale_trainer_history(trainer, "csv", &text)));
  CALM(percale_text_release(text));
  CALM(OK(percale_trainer_model(trainer, &model)));
  CALM(percale_graph_release(model));
  CALM(percale_trainer_release(trainer));
  CALM(percale_dataset_release(data));
  CALM(percale_session_release(session));
  CALM(percale_variables_release(variables));
  CALM(percale_graph_release(graph));
  CALM(percale_graph_release(built));
  CALM(percale_tensor_release(batch[0]));
  CALM(percale_tensor_release(batch[1]));
  CALM(percale_engine_release(engine));
}

int main(int argc, char** argv) {
  char path[4000];
  int saved_out, saved_err, failures;
  int64_t threads;
  if (argc < 2) return 2;
  be_unusual(argv[1]);
  /* Output of the checks themselves goes to this file; it is written after the comparison. */
  snprintf(path, sizeof path, "%s/manners.out", argv[1]);
  capture = open(path, O_RDWR | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0600);
  CHECK(capture >= 0);
  saved_out = dup(1);
  saved_err = dup(2);
  dup2(capture, 1);
  dup2(capture, 2);
  threads = host_count_entries("/proc/self/task");
  all_calls(argv[1]);
  CHECK(host_count_entries("/proc/self/task") == threads);
  failures = check_done();
  fflush(NULL);
  dup2(saved_out, 1);
  dup2(saved_err, 2);
  if (failures != 0) {
    char line[1000];
    FILE* file = fopen(path, "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) fputs(line, stderr);
    if (file != NULL) fclose(file);
  }
  return failures;
}
