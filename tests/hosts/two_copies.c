/* Checks that two copies of the library in one process, each opened by another plug-in of the host
 * with RTLD_LOCAL, work side by side, give the same bits and end independently.
 * Usage: two_copies LIBRARY FOLDER */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <percale.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

/* The functions of one copy that are called. All pointers come from that copy. */
typedef struct copy {
  void* library;
  percale_status* (*engine_create)(const percale_options*, percale_engine**);
  void (*engine_release)(percale_engine*);
  percale_status* (*trainer_from_spec)(percale_engine*, const char*, size_t, const char*, const char*,
                                       const percale_options*, percale_trainer**);
  percale_status* (*trainer_fit)(percale_trainer*, percale_dataset*, int64_t, percale_progress_callback, void*);
  percale_status* (*trainer_variables)(percale_trainer*, percale_variables**);
  percale_status* (*variables_digest)(const percale_variables*, percale_text**);
  void (*variables_release)(percale_variables*);
  void (*trainer_release)(percale_trainer*);
  const char* (*text_data)(const percale_text*, size_t*);
  void (*text_release)(percale_text*);
  const char* (*status_message)(const percale_status*, size_t*);
  void (*status_release)(percale_status*);
  int64_t (*status_live_count)(void);
  const char* data_folder;
  char digest[128];
  int failed;
} copy;

static const char kSpec[] =
    "{\"model\": [{\"layer\": \"Dense\", \"units\": 8, \"activation\": \"relu\"}, {\"layer\": \"Dense\", \"units\": "
    "3}],"
    " \"input_shape\": [4], \"loss\": \"mean_squared_error\", \"optimizer\": \"adam\", \"seed\": 3,"
    " \"batch_size\": 8, \"epochs\": 20, \"data\": {\"train\": {\"x\": \"two-copies-x.npy\", \"y\": "
    "\"two-copies-y.npy\"}}}";

#define LOOK_UP(copy, name)                                            \
  do {                                                                 \
    *(void**)&(copy)->name = dlsym((copy)->library, "percale_" #name); \
    if ((copy)->name == NULL) return 0;                                \
  } while (0)

static int open_copy(copy* c, const char* path, const char* data_folder) {
  memset(c, 0, sizeof *c);
  c->data_folder = data_folder;
  c->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (c->library == NULL) {
    fprintf(stderr, "%s\n", dlerror());
    return 0;
  }
  LOOK_UP(c, engine_create);
  LOOK_UP(c, engine_release);
  LOOK_UP(c, trainer_from_spec);
  LOOK_UP(c, trainer_fit);
  LOOK_UP(c, trainer_variables);
  LOOK_UP(c, variables_digest);
  LOOK_UP(c, variables_release);
  LOOK_UP(c, trainer_release);
  LOOK_UP(c, text_data);
  LOOK_UP(c, text_release);
  LOOK_UP(c, status_message);
  LOOK_UP(c, status_release);
  LOOK_UP(c, status_live_count);
  return 1;
}

static void expect(copy* c, percale_status* status, const char* what) {
  if (status == NULL) return;
  fprintf(stderr, "%s: %s\n", what, c->status_message(status, NULL));
  c->status_release(status);
  c->failed = 1;
}
#define EXPECT(c, call) expect((c), (c)->call, #call)

static void* train(void* user) {
  copy* c = (copy*)user;
  percale_engine* engine = NULL;
  percale_trainer* trainer = NULL;
  percale_variables* variables = NULL;
  percale_text* text = NULL;
  EXPECT(c, engine_create(NULL, &engine));
  EXPECT(c, trainer_from_spec(engine, kSpec, sizeof kSpec - 1, NULL, c->data_folder, NULL, &trainer));
  if (c->failed) return NULL;
  EXPECT(c, trainer_fit(trainer, NULL, 0, NULL, NULL));
  EXPECT(c, trainer_variables(trainer, &variables));
  EXPECT(c, variables_digest(variables, &text));
  snprintf(c->digest, sizeof c->digest, "%s", c->text_data(text, NULL));
  c->text_release(text);
  c->variables_release(variables);
  c->trainer_release(trainer);
  c->engine_release(engine);
  if (c->status_live_count() != 0) c->failed = 1;
  return NULL;
}

/* Writes a NumPy file of 16 rows. */
static int write_array(const char* folder, const char* name, int columns) {
  char path[4000], header[118];
  int i;
  FILE* file;
  snprintf(path, sizeof path, "%s/%s", folder, name);
  file = fopen(path, "wb");
  if (file == NULL) return 0;
  snprintf(header, sizeof header, "{'descr': '<f4', 'fortran_order': False, 'shape': (16, %d), }", columns);
  fprintf(file, "%cNUMPY%c%c%c%c%-117s\n", 0x93, 1, 0, 118, 0, header);
  for (i = 0; i < 16 * columns; ++i) {
    const float value = (float)(i % 7) / 7;
    fwrite(&value, sizeof value, 1, file);
  }
  return fclose(file) == 0;
}

/* Copies the library, because the loader treats a separate file as a separate library. */
static int copy_file(const char* from, const char* to) {
  char bytes[65536];
  size_t got;
  int good = 1;
  FILE *in = fopen(from, "rb"), *out = fopen(to, "wb");
  if (in == NULL || out == NULL) return 0;
  while ((got = fread(bytes, 1, sizeof bytes, in)) > 0) good = good && fwrite(bytes, 1, got, out) == got;
  fclose(in);
  return fclose(out) == 0 && good;
}

int main(int argc, char** argv) {
  char other[4000];
  copy a, b;
  pthread_t on_a, on_b;
  int round;
  if (argc < 3) return 2;
  snprintf(other, sizeof other, "%s/second-copy.so", argv[2]);
  if (!copy_file(argv[1], other)) return 2;
  if (!write_array(argv[2], "two-copies-x.npy", 4) || !write_array(argv[2], "two-copies-y.npy", 3)) return 2;
  for (round = 0; round < 3; ++round) { /* open, train, close, again */
    if (!open_copy(&a, argv[1], argv[2]) || !open_copy(&b, other, argv[2])) return 1;
    if ((void*)a.engine_create == (void*)b.engine_create) {
      fprintf(stderr, "it is one copy only\n");
      return 1;
    }
    pthread_create(&on_a, NULL, train, &a);
    pthread_create(&on_b, NULL, train, &b);
    pthread_join(on_a, NULL);
    pthread_join(on_b, NULL);
    if (a.failed || b.failed || strcmp(a.digest, b.digest) != 0 || a.digest[0] == 0) {
      fprintf(stderr, "%s\n%s\n", a.digest, b.digest);
      return 1;
    }
    dlclose(a.library);
    train(&b); /* works after the other copy is closed */
    if (b.failed) return 1;
    dlclose(b.library);
  }
  return 0;
}
