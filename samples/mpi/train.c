/* Trains a SPEC in the processes of an MPI job and prints the digest: that of one process.
 *   mpicc train.c $(pkg-config --cflags --libs percale) -o train
 *   mpiexec -n 4 ./train SPEC.json
 * Every process needs a shard: the SPEC's "shards" is at least their number. */
#include <mpi.h>
#include <percale.h>
#include <stdio.h>
#include <stdlib.h>

/* Prints an error and ends all processes of the job. */
static void ok(percale_status* status) {
  if (status == NULL) return;
  fprintf(stderr, "%s: %s\n", percale_code_name(percale_status_code(status)), percale_status_message(status, NULL));
  MPI_Abort(MPI_COMM_WORLD, 1);
}

/* Sends sends[r] to rank r and fills recvs[r]. MPI waits for its messages without limit: the
 * timeout is not used. A longer message is an error that ends the job. */
static percale_status* exchange(void* user, uint64_t tag, const percale_bytes* sends, percale_bytes* recvs,
                                int64_t timeout_ns) {
  const int size = *(const int*)user, own_tag = (int)(tag % 32768); /* every MPI allows that */
  MPI_Request* const requests = malloc(2 * (size_t)size * sizeof *requests);
  int count = 0, r;
  (void)timeout_ns;
  if (requests == NULL) return percale_status_create(PERCALE_RESOURCE_EXHAUSTED, "no memory", 9);
  for (r = 0; r < size; ++r) { /* the entries of the own rank are empty */
    if (recvs[r].size > 0) {
      MPI_Irecv_c(recvs[r].data, (MPI_Count)recvs[r].size, MPI_BYTE, r, own_tag, MPI_COMM_WORLD, &requests[count++]);
    }
  }
  for (r = 0; r < size; ++r) {
    if (sends[r].size > 0) {
      MPI_Isend_c(sends[r].data, (MPI_Count)sends[r].size, MPI_BYTE, r, own_tag, MPI_COMM_WORLD, &requests[count++]);
    }
  }
  MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
  free(requests);
  return NULL;
}

static char* read_all(const char* path, size_t* size) {
  FILE* const file = fopen(path, "rb");
  char* text;
  if (file == NULL || fseek(file, 0, SEEK_END) != 0) {
    perror(path);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  *size = (size_t)ftell(file);
  rewind(file);
  text = malloc(*size + 1);
  if (text == NULL || fread(text, 1, *size, file) != *size) MPI_Abort(MPI_COMM_WORLD, 1);
  fclose(file);
  return text;
}

int main(int argc, char** argv) {
  int rank = 0, size = 1, provided = 0;
  size_t length = 0;
  percale_collective group = {sizeof group, &size, 0, 0, 1, exchange, NULL};
  percale_engine* engine = NULL;
  percale_trainer* trainer = NULL;
  percale_variables* variables = NULL;
  percale_text *test = NULL, *digest = NULL;
  char* spec;

  /* The library exchanges on threads of its own, one at a time. */
  MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided);
  if (argc < 2 || provided < MPI_THREAD_SERIALIZED) {
    fprintf(stderr, "usage: train SPEC.json, with an MPI that has MPI_THREAD_SERIALIZED\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  group.rank = rank;
  group.size = size;

  spec = read_all(argv[1], &length);
  ok(percale_engine_create(NULL, &engine));
  ok(percale_trainer_from_spec(engine, spec, length, NULL, NULL, NULL, &trainer));
  ok(percale_trainer_join(trainer, &group, NULL));
  ok(percale_trainer_fit(trainer, NULL, 0, NULL, NULL));
  ok(percale_trainer_evaluate(trainer, NULL, &test)); /* the ranks share the batches */
  ok(percale_trainer_variables(trainer, &variables));
  ok(percale_variables_digest(variables, &digest));
  if (rank == 0) printf("test %s\ndigest %s\n", percale_text_data(test, NULL), percale_text_data(digest, NULL));

  percale_text_release(test);
  percale_text_release(digest);
  percale_variables_release(variables);
  percale_trainer_release(trainer);
  percale_engine_release(engine);
  free(spec);
  MPI_Finalize();
  return 0;
}
