/* Tests groups: two trainers, each on a thread of its own, exchange bytes through a pair of sockets
 * and compute what one trainer alone does. */
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

#include "trainer_fixture.h"

/* One of the two ranks. */
typedef struct rank_of_two {
  percale_collective table;
  int socket;
  const percale_graph* graph;
  const char* folder; /* of its checkpoint; NULL: none */
  int destroyed;
  char digest[128];
} rank_of_two;

static int move_all(int socket, char* data, size_t size, int sends) {
  while (size > 0) {
    const ssize_t moved = sends ? send(socket, data, size, MSG_NOSIGNAL) : read(socket, data, size);
    if (moved <= 0) return 0;
    data += moved;
    size -= (size_t)moved;
  }
  return 1;
}

/* The messages of this test fit into the buffers of the sockets. */
static percale_status* exchange_by_socket(void* user, uint64_t tag, const percale_bytes* sends, percale_bytes* recvs,
                                          int64_t timeout_ns) {
  rank_of_two* me = (rank_of_two*)user;
  const int32_t other = 1 - me->table.rank;
  uint64_t head[2] = {tag, sends[other].size};
  (void)timeout_ns;
  if (!move_all(me->socket, (char*)head, sizeof head, 1) ||
      !move_all(me->socket, (char*)sends[other].data, sends[other].size, 1) ||
      !move_all(me->socket, (char*)head, sizeof head, 0)) {
    return percale_status_create(PERCALE_UNAVAILABLE, "the other rank is gone", PERCALE_NUL_ENDED);
  }
  if (head[0] != tag || head[1] != recvs[other].size) {
    return percale_status_create(PERCALE_INTERNAL, "the ranks are out of step", PERCALE_NUL_ENDED);
  }
  return move_all(me->socket, (char*)recvs[other].data, recvs[other].size, 0)
             ? NULL
             : percale_status_create(PERCALE_UNAVAILABLE, "the other rank is gone", PERCALE_NUL_ENDED);
}

static void count_destroy(void* user) { ++((rank_of_two*)user)->destroyed; }

static void make_ranks(rank_of_two* ranks, const percale_graph* graph) {
  int sockets[2], i;
  CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) == 0);
  memset(ranks, 0, 2 * sizeof *ranks);
  for (i = 0; i < 2; ++i) {
    ranks[i].socket = sockets[i];
    ranks[i].graph = graph;
    ranks[i].table.struct_size = sizeof(percale_collective);
    ranks[i].table.user = &ranks[i];
    ranks[i].table.rank = i;
    ranks[i].table.size = 2;
    ranks[i].table.generation = 1;
    ranks[i].table.exchange = exchange_by_socket;
  }
}

static void* train_as_rank(void* user) {
  rank_of_two* me = (rank_of_two*)user;
  percale_trainer* trainer = make_trainer(me->graph);
  percale_dataset* data = make_data();
  OK(percale_trainer_join(trainer, &me->table, count_destroy));
  OK(percale_trainer_fit(trainer, data, 3, NULL, NULL));
  if (me->folder != NULL) OK(percale_trainer_save(trainer, me->folder));
  digest_of(trainer, me->digest, sizeof me->digest);
  CHECK(me->destroyed == 0);
  percale_trainer_release(trainer);
  CHECK(me->destroyed == 1);
  percale_dataset_release(data);
  return NULL;
}

static void run_both(rank_of_two* ranks, void* (*work)(void* user)) {
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, work, &ranks[1]) == 0);
  work(&ranks[0]);
  pthread_join(thread, NULL);
  close(ranks[0].socket);
  close(ranks[1].socket);
}

static void two_ranks_compute_what_one_trainer_does(void) {
  percale_graph* graph = make_graph();
  percale_trainer *alone = make_trainer(graph), *resumed = make_trainer(graph);
  percale_dataset* data = make_data();
  rank_of_two ranks[2];
  char digest[128], path[4000];
  snprintf(path, sizeof path, "%s/group", folder);
  make_ranks(ranks, graph);
  ranks[0].folder = ranks[1].folder = path;
  run_both(ranks, train_as_rank);
  OK(percale_trainer_fit(alone, data, 3, NULL, NULL));
  digest_of(alone, digest, sizeof digest);
  CHECK(strcmp(ranks[0].digest, digest) == 0);
  CHECK(strcmp(ranks[1].digest, digest) == 0);
  /* The one checkpoint of both. */
  OK(percale_trainer_restore(resumed, path));
  OK(percale_trainer_fit(resumed, data, 4, NULL, NULL));
  OK(percale_trainer_fit(alone, data, 4, NULL, NULL));
  digest_of(alone, digest, sizeof digest);
  digest_of(resumed, ranks[0].digest, sizeof digest);
  CHECK(strcmp(ranks[0].digest, digest) == 0);
  percale_trainer_release(alone);
  percale_trainer_release(resumed);
  percale_dataset_release(data);
  percale_graph_release(graph);
}

/* Rank 1 has no trainer: it ends the connection. */
static void* leave(void* user) {
  rank_of_two* me = (rank_of_two*)user;
  percale_trainer* trainer = NULL;
  if (me->table.rank == 1) {
    shutdown(me->socket, SHUT_RDWR);
    return NULL;
  }
  trainer = make_trainer(me->graph);
  FAILS(percale_trainer_join(trainer, &me->table, count_destroy), PERCALE_UNAVAILABLE, "the other rank is gone");
  CHECK(me->destroyed == 0);
  percale_trainer_release(trainer);
  return NULL;
}

static void a_rank_without_the_others_is_told(void) {
  percale_graph* graph = make_graph();
  rank_of_two ranks[2];
  make_ranks(ranks, graph);
  run_both(ranks, leave);
  CHECK(ranks[0].destroyed == 0);
  percale_graph_release(graph);
}

static void a_table_that_lacks_something_is_refused(void) {
  percale_graph* graph = make_graph();
  percale_trainer* trainer = make_trainer(graph);
  percale_collective table;
  memset(&table, 0, sizeof table);
  FAILS(percale_trainer_join(trainer, &table, NULL), PERCALE_INVALID_ARGUMENT, "'struct_size' is 0");
  table.struct_size = sizeof table;
  FAILS(percale_trainer_join(trainer, &table, NULL), PERCALE_INVALID_ARGUMENT, "'exchange' is NULL");
  table.exchange = exchange_by_socket;
  FAILS(percale_trainer_join(trainer, &table, NULL), PERCALE_INVALID_ARGUMENT, "the group has 0 ranks");
  REFUSES(percale_trainer_join(NULL, &table, NULL), "trainer");
  REFUSES(percale_trainer_join(trainer, NULL, NULL), "collective");
  percale_trainer_release(trainer);
  percale_graph_release(graph);
}

void test_groups(void) {
  two_ranks_compute_what_one_trainer_does();
  a_rank_without_the_others_is_told();
  a_table_that_lacks_something_is_refused();
}
