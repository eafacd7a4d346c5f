/* Tests trainers that join the group of a cluster. The processes are threads of this one, which
 * connect by 127.0.0.1. */
#define _POSIX_C_SOURCE 200112L
#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

#include "trainer_fixture.h"

/* Returns true if the plug-in that connects processes is there. */
static int connects(void) {
  percale_text* text = NULL;
  const char *found = NULL, *absent = NULL;
  int out = 0;
  OK(percale_engine_describe(engine, "info", &text));
  found = strstr(percale_text_data(text, NULL), "\"name\":\"remote\"");
  if (found != NULL) absent = strstr(found, "\"absent\":");
  out = absent != NULL && strncmp(absent, "\"absent\":\"\"", 11) == 0;
  percale_text_release(text);
  return out;
}

/* Fills `ports` with free ports. */
static void find_ports(int* ports, int count) {
  int sockets[2], i;
  for (i = 0; i < count; ++i) {
    struct sockaddr_in address;
    socklen_t size = sizeof address;
    memset(&address, 0, sizeof address);
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    sockets[i] = socket(AF_INET, SOCK_STREAM, 0);
    CHECK(bind(sockets[i], (struct sockaddr*)&address, sizeof address) == 0);
    CHECK(getsockname(sockets[i], (struct sockaddr*)&address, &size) == 0);
    ports[i] = ntohs(address.sin_port);
  }
  for (i = 0; i < count; ++i) close(sockets[i]);
}

/* One of the processes of a chief and a worker. */
typedef struct process {
  const char* job;
  const int* ports; /* of the chief and the worker */
  const percale_graph* graph;
  char digest[128];
} process;

static percale_cluster* cluster_for(const process* me) {
  percale_cluster* cluster = NULL;
  char address[32];
  OK(percale_cluster_create(&cluster));
  snprintf(address, sizeof address, "127.0.0.1:%d", me->ports[0]);
  OK(percale_cluster_add_task(cluster, "chief", 0, address));
  snprintf(address, sizeof address, "127.0.0.1:%d", me->ports[1]);
  OK(percale_cluster_add_task(cluster, "worker", 0, address));
  OK(percale_cluster_set_role(cluster, me->job, 0));
  return cluster;
}

static void* train_as_process(void* user) {
  process* me = (process*)user;
  percale_cluster* cluster = cluster_for(me);
  percale_trainer* trainer = make_trainer(me->graph);
  percale_dataset* data = make_data();
  OK(percale_trainer_join_cluster(trainer, cluster, INT64_C(30000000000)));
  percale_cluster_release(cluster); /* the group does not need it */
  OK(percale_trainer_fit(trainer, data, 3, NULL, NULL));
  digest_of(trainer, me->digest, sizeof me->digest);
  percale_trainer_release(trainer);
  percale_dataset_release(data);
  return NULL;
}

static void a_chief_and_a_worker_compute_what_one_trainer_does(const percale_graph* graph) {
  int ports[2];
  process chief = {"chief", ports, graph, ""}, worker = {"worker", ports, graph, ""};
  percale_trainer* alone = make_trainer(graph);
  percale_dataset* data = make_data();
  char digest[128];
  pthread_t thread;
  find_ports(ports, 2);
  CHECK(pthread_create(&thread, NULL, train_as_process, &worker) == 0);
  train_as_process(&chief);
  pthread_join(thread, NULL);
  OK(percale_trainer_fit(alone, data, 3, NULL, NULL));
  digest_of(alone, digest, sizeof digest);
  CHECK(strcmp(chief.digest, digest) == 0);
  CHECK(strcmp(worker.digest, digest) == 0);
  percale_trainer_release(alone);
  percale_dataset_release(data);
}

static void a_chief_without_its_worker_gives_up_after_the_timeout(const percale_graph* graph) {
  int ports[2];
  process chief = {"chief", ports, graph, ""};
  percale_trainer* trainer = make_trainer(graph);
  percale_cluster* cluster = NULL;
  find_ports(ports, 2);
  cluster = cluster_for(&chief);
  FAILS(percale_trainer_join_cluster(trainer, cluster, 100000000), PERCALE_DEADLINE_EXCEEDED, "rank 1 of 2");
  percale_cluster_release(cluster);
  percale_trainer_release(trainer);
}

/* True with and without a plug-in. */
static void a_process_that_does_not_train_cannot_join(const percale_graph* graph) {
  const int ports[2] = {7001, 7002};
  const process evaluator = {"evaluator", ports, graph, ""};
  percale_trainer* trainer = make_trainer(graph);
  percale_cluster* cluster = cluster_for(&evaluator);
  FAILS(percale_trainer_join_cluster(trainer, cluster, 0), PERCALE_FAILED_PRECONDITION, "its job is 'evaluator'");
  REFUSES(percale_trainer_join_cluster(NULL, cluster, 0), "trainer");
  REFUSES(percale_trainer_join_cluster(trainer, NULL, 0), "cluster");
  percale_cluster_release(cluster);
  percale_trainer_release(trainer);
}

void test_clusters(void) {
  percale_graph* graph = make_graph();
  a_process_that_does_not_train_cannot_join(graph);
  if (connects()) {
    a_chief_and_a_worker_compute_what_one_trainer_does(graph);
    a_chief_without_its_worker_gives_up_after_the_timeout(graph);
  } else {
    printf("skipped: the plug-in 'remote', which connects processes, is not there\n");
  }
  percale_graph_release(graph);
}
