/* Shared by the files of percale_worker. */
#ifndef PERCALE_TESTS_BENCH_WORKER_WORKER_H_
#define PERCALE_TESTS_BENCH_WORKER_WORKER_H_

#include <percale.h>
#include <stdint.h>
#include <time.h>

enum { kMaxValues = 32, kMaxSizes = 96 };

/* Prepared work: a maker fills it, `iterate` does it once. Lives as long as the process. */
typedef struct workload workload;
struct workload {
  workload* next;
  char* name;
  void (*iterate)(workload*);
  percale_session* session;
  percale_call* call;
  percale_trainer* trainer;
  const char *feed_names[kMaxValues], *fetch_names[kMaxValues];
  percale_tensor *feeds[kMaxValues], *fetches[kMaxValues];
  size_t feed_count, fetch_count;
  const char* argument; /* the part after the colon of its name: a path, or sizes */
};

extern percale_engine* engine;

/* On an error, answers `error: ...` and ends the process. */
void ok(percale_status* status);
/* Returns nanoseconds. */
double now(clockid_t clock);
/* Options of kind "session", with those of the command line. */
percale_options* session_options(void);
/* Options of kind "trainer": variables are not published, and the batch is not divided. */
percale_options* trainer_options(void);

/* A step on the feeds, which are a batch. */
void train_step(workload* w);
/* Parses the comma-separated numbers of `w->argument`. Returns their count, which must be at
 * least `least`. */
size_t sizes(const workload* w, size_t least, int64_t* out);

typedef struct maker {
  const char* name; /* ends with ':' if an argument follows */
  void (*make)(workload*);
} maker;
/* Workloads, up to one without a name: small graphs; files; nets and chains of ops of given
 * sizes, NAME:SIZE,SIZE,... */
extern const maker kGraphWorkloads[], kModelWorkloads[], kNetWorkloads[], kOpWorkloads[];
/* Removes the files left in the current folder. */
void remove_files(void);

#endif
