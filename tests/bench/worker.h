/* What the files of percale_worker share. */
#ifndef PERCALE_TESTS_BENCH_WORKER_H_
#define PERCALE_TESTS_BENCH_WORKER_H_

#include <percale.h>
#include <stdint.h>
#include <time.h>

enum { kMaxValues = 16 };

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
  const char* path; /* of the model */
};

extern percale_engine* engine;

/* Anything but success is the answer `error: ...`, and the end. */
void ok(percale_status* status);
/* Nanoseconds. */
double now(clockid_t clock);
/* Of kind "session", with what the command line says. */
percale_options* session_options(void);
/* Of kind "trainer": nobody but the trainer reads the variables, and the batch is not cut. */
percale_options* trainer_options(void);

typedef struct maker {
  const char* name;
  void (*make)(workload*);
} maker;
/* Workloads without files, up to one without a name. */
extern const maker kGraphWorkloads[];
/* Ends what they left in the current folder. */
void remove_files(void);

/* Workloads of files. `path` is a model's; beside it lie its feeds in0.npy, in1.npy, ... in the order of its inputs.
 *   run:PATH     a prepared call; the results of the first one go to out0.npy, ... in the current folder
 *   load:PATH    from the file to the first result, and everything given back
 *   train:PATH   a step of the SPEC at `path` on the batch x.npy, y.npy beside it; the losses of the first steps go to
 *                losses.npy in the current folder */
void make_model(workload* w);
void make_model_load(workload* w);
void make_model_training(workload* w);

#endif
