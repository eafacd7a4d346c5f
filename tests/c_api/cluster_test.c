/* Tests clusters from TF_CONFIG, from the environment variables of launchers, and described by
 * hand. */
#define _POSIX_C_SOURCE 200112L
#include <stdlib.h>

#include "check.h"

/* Those by which launchers are recognised, and the others of this test. */
static const char* const kVariables[] = {"TF_CONFIG",
                                         "RANK",
                                         "PET_NNODES",
                                         "PET_NODE_RANK",
                                         "DMLC_ROLE",
                                         "OMPI_COMM_WORLD_RANK",
                                         "PMI_RANK",
                                         "PMIX_RANK",
                                         "SLURM_PROCID",
                                         "JOB_COMPLETION_INDEX",
                                         "WORLD_SIZE",
                                         "OMPI_COMM_WORLD_SIZE",
                                         "SLURM_NTASKS",
                                         "PERCALE_TASKS",
                                         "SLURM_STEP_NODELIST",
                                         "SLURM_TASKS_PER_NODE",
                                         "MASTER_ADDR",
                                         "MASTER_PORT",
                                         "SLURM_STEP_TASKS_PER_NODE"};

static void forget(void) {
  size_t i;
  for (i = 0; i < sizeof kVariables / sizeof kVariables[0]; ++i) unsetenv(kVariables[i]);
}

static int is_address(const percale_cluster* cluster, const char* job, int64_t task, const char* wanted) {
  const char* address = percale_cluster_get_address(cluster, job, task);
  return wanted == NULL || address == NULL ? address == wanted : strcmp(address, wanted) == 0;
}

static int is_role(const percale_cluster* cluster, const char* job, int64_t task) {
  int64_t own = -1;
  return strcmp(percale_cluster_get_role(cluster, &own), job) == 0 && own == task;
}

static void tf_config_is_read(void) {
  static const char kConfig[] =
      "{\"cluster\": {\"worker\": [\"a:1\", \"b:2\"], \"ps\": {\"3\": \"c:3\"}}, \"task\": {\"type\": \"worker\", "
      "\"index\": 1}}";
  percale_cluster* cluster = NULL;
  OK(percale_cluster_from_json(kConfig, PERCALE_NUL_ENDED, &cluster));
  CHECK(percale_cluster_job_count(cluster) == 2);
  CHECK(strcmp(percale_cluster_get_job(cluster, 0), "worker") == 0 && percale_cluster_get_job(cluster, 2) == NULL);
  CHECK(percale_cluster_task_count(cluster, "worker") == 2 && percale_cluster_task_count(cluster, "ps") == 4);
  CHECK(is_address(cluster, "worker", 1, "b:2") && is_address(cluster, "ps", 3, "c:3"));
  CHECK(is_address(cluster, "ps", 0, NULL) && is_address(cluster, "chief", 0, NULL) &&
        is_address(cluster, "ps", -1, NULL));
  CHECK(is_role(cluster, "worker", 1));
  percale_cluster_release(cluster);
}

static void bad_json_is_refused_with_its_place(void) {
  percale_cluster* cluster = NULL;
  FAILS(percale_cluster_from_json("{", 1, &cluster), PERCALE_INVALID_ARGUMENT, "line 1");
  FAILS(percale_cluster_from_json("{\"cluster\": []}", PERCALE_NUL_ENDED, &cluster), PERCALE_INVALID_ARGUMENT,
        "'cluster'");
  FAILS(percale_cluster_from_json("{\"cluster\": {\"w\": [\"nowhere\"]}}", PERCALE_NUL_ENDED, &cluster),
        PERCALE_INVALID_ARGUMENT, "'nowhere' is no address");
  FAILS(percale_cluster_from_json("{\"cluster\": {\"w\": {\"x\": \"a:1\"}}}", PERCALE_NUL_ENDED, &cluster),
        PERCALE_INVALID_ARGUMENT, "no number of a task");
  FAILS(percale_cluster_from_json("{\"cluster\": {\"w\": {\"99999999\": \"a:1\"}}}", PERCALE_NUL_ENDED, &cluster),
        PERCALE_INVALID_ARGUMENT, "99999999");
  FAILS(percale_cluster_from_json("{\"task\": {\"index\": 1}}", PERCALE_NUL_ENDED, &cluster), PERCALE_INVALID_ARGUMENT,
        "type");
  REFUSES(percale_cluster_from_json(NULL, 0, &cluster), "json");
  REFUSES(percale_cluster_from_json("{}", 2, NULL), "out_cluster");
  CHECK(cluster == NULL);
}

/* The other launchers, and all errors, are tested in tests/unit/engine/launchers_test.cc. */
static void the_environment_of_the_process_is_read(void) {
  percale_cluster* cluster = NULL;
  forget();
  FAILS(percale_cluster_from_environment(&cluster), PERCALE_NOT_FOUND, "no cluster");
  setenv("SLURM_PROCID", "5", 1);
  setenv("SLURM_NTASKS", "6", 1);
  setenv("SLURM_STEP_NODELIST", "n[08-09,11],login", 1);
  setenv("SLURM_TASKS_PER_NODE", "2(x2),1(x2)", 1);
  setenv("MASTER_PORT", "29500", 1);
  OK(percale_cluster_from_environment(&cluster));
  CHECK(percale_cluster_task_count(cluster, "worker") == 6 && is_role(cluster, "worker", 5));
  CHECK(is_address(cluster, "worker", 0, "n08:29500") && is_address(cluster, "worker", 1, "n08:29501"));
  CHECK(is_address(cluster, "worker", 3, "n09:29501") && is_address(cluster, "worker", 4, "n11:29500"));
  CHECK(is_address(cluster, "worker", 5, "login:29500"));
  percale_cluster_release(cluster);

  setenv("OMPI_COMM_WORLD_RANK", "1", 1);
  setenv("OMPI_COMM_WORLD_SIZE", "2", 1);
  setenv("MASTER_ADDR", "head", 1);
  OK(percale_cluster_from_environment(&cluster));
  CHECK(percale_cluster_task_count(cluster, "worker") == 2 && is_role(cluster, "worker", 1));
  CHECK(is_address(cluster, "worker", 0, "head:29500") && is_address(cluster, "worker", 1, ""));
  percale_cluster_release(cluster);

  setenv("RANK", "4", 1);
  FAILS(percale_cluster_from_environment(&cluster), PERCALE_INVALID_ARGUMENT, "WORLD_SIZE is not set");
  setenv("WORLD_SIZE", "4", 1);
  FAILS(percale_cluster_from_environment(&cluster), PERCALE_INVALID_ARGUMENT, "RANK is '4', wanted an integer");
  CHECK(cluster == NULL);
  setenv("TF_CONFIG", "{}", 1);
  OK(percale_cluster_from_environment(&cluster));
  CHECK(percale_cluster_job_count(cluster) == 0 && is_role(cluster, "", 0));
  percale_cluster_release(cluster);
  forget();
}

static void a_cluster_is_made_by_hand(void) {
  percale_cluster* cluster = NULL;
  OK(percale_cluster_create(&cluster));
  OK(percale_cluster_add_task(cluster, "worker", 0, "[::1]:7000"));
  FAILS(percale_cluster_add_task(cluster, "worker", 0, "b:1"), PERCALE_ALREADY_EXISTS, "task 0");
  FAILS(percale_cluster_add_task(cluster, "worker", -1, "b:1"), PERCALE_OUT_OF_RANGE, "task -1");
  FAILS(percale_cluster_add_task(cluster, "worker", 1, "b:0"), PERCALE_INVALID_ARGUMENT, "host:port");
  FAILS(percale_cluster_add_task(cluster, "", 1, "b:1"), PERCALE_INVALID_ARGUMENT, "name");
  OK(percale_cluster_set_role(cluster, "worker", 0));
  CHECK(is_role(cluster, "worker", 0) && is_address(cluster, "worker", 0, "[::1]:7000"));
  REFUSES(percale_cluster_add_task(NULL, "w", 0, "a:1"), "cluster");
  REFUSES(percale_cluster_add_task(cluster, NULL, 0, "a:1"), "job");
  REFUSES(percale_cluster_add_task(cluster, "w", 0, NULL), "address");
  REFUSES(percale_cluster_set_role(NULL, "w", 0), "cluster");
  REFUSES(percale_cluster_set_role(cluster, NULL, 0), "job");
  REFUSES(percale_cluster_create(NULL), "out_cluster");
  REFUSES(percale_cluster_from_environment(NULL), "out_cluster");
  CHECK(percale_cluster_job_count(NULL) == 0 && percale_cluster_get_job(NULL, 0) == NULL);
  CHECK(percale_cluster_task_count(NULL, "w") == 0 && percale_cluster_task_count(cluster, NULL) == 0);
  CHECK(is_address(NULL, "w", 0, NULL) && is_role(NULL, "", 0));
  percale_cluster_release(cluster);
  percale_cluster_release(NULL);
}

/* Checks the rank of this process in a cluster of a chief, two workers and an evaluator. */
static void has_rank(const char* job, int64_t task, int64_t rank) {
  static const char kTasks[] =
      "{\"cluster\": {\"worker\": [\"b:2\", \"c:3\"], \"chief\": [\"a:1\"], \"evaluator\": [\"d:4\"]}}";
  percale_cluster* cluster = NULL;
  int64_t size = 0;
  OK(percale_cluster_from_json(kTasks, PERCALE_NUL_ENDED, &cluster));
  OK(percale_cluster_set_role(cluster, job, task));
  CHECK(percale_cluster_get_rank(cluster, &size) == rank && size == 3);
  CHECK(percale_cluster_get_rank(cluster, NULL) == rank);
  percale_cluster_release(cluster);
}

static void ranks_are_those_of_the_chief_and_the_workers(void) {
  int64_t size = 1;
  has_rank("chief", 0, 0);
  has_rank("worker", 0, 1);
  has_rank("worker", 1, 2);
  has_rank("evaluator", 0, -1);
  CHECK(percale_cluster_get_rank(NULL, &size) == -1 && size == 0);
}

static void certificates_are_a_folder_or_none(void) {
  percale_cluster* cluster = NULL;
  OK(percale_cluster_create(&cluster));
  OK(percale_cluster_set_certificates(cluster, "certificates"));
  OK(percale_cluster_set_certificates(cluster, ""));
  REFUSES(percale_cluster_set_certificates(cluster, NULL), "folder");
  REFUSES(percale_cluster_set_certificates(NULL, ""), "cluster");
  percale_cluster_release(cluster);
}

int main(void) {
  tf_config_is_read();
  bad_json_is_refused_with_its_place();
  the_environment_of_the_process_is_read();
  a_cluster_is_made_by_hand();
  ranks_are_those_of_the_chief_and_the_workers();
  certificates_are_a_folder_or_none();
  return check_done();
}
