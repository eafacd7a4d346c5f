#include "exchange.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <percale/status.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

enum { kMostRanks = 64 };

typedef struct head {
  uint64_t tag, size;
} head;

/* A message on its way in one direction. */
typedef struct message {
  head head;
  percale_bytes body;
  size_t done; /* bytes of head and body */
} message;

typedef struct ranks {
  int rank, size;
  int connections[kMostRanks];
} ranks;

static void give_up(const char* what) {
  perror(what);
  exit(1);
}

static size_t left(const message* m) { return sizeof m->head + m->body.size - m->done; }

/* Sends or receives what the connection takes at once. Returns false if it has failed. */
static bool advance(int connection, message* m, bool sends) {
  struct iovec parts[2];
  int count = 0;
  if (m->done < sizeof m->head) {
    parts[count].iov_base = (char*)&m->head + m->done;
    parts[count++].iov_len = sizeof m->head - m->done;
  }
  /* A receiver must know that the body is the one it waits for before it takes it. */
  if (m->done >= sizeof m->head || sends) {
    const size_t body = m->done < sizeof m->head ? 0 : m->done - sizeof m->head;
    parts[count].iov_base = (char*)m->body.data + body;
    parts[count++].iov_len = m->body.size - body;
  }
  struct msghdr all = {.msg_iov = parts, .msg_iovlen = (size_t)count};
  const ssize_t moved =
      sends ? sendmsg(connection, &all, MSG_DONTWAIT | MSG_NOSIGNAL) : recvmsg(connection, &all, MSG_DONTWAIT);
  if (moved < 0) return errno == EAGAIN || errno == EINTR;
  if (moved == 0 && !sends) return false;
  m->done += (size_t)moved;
  return true;
}

static percale_status* out_of_step(int rank, const char* why) {
  char text[64];
  snprintf(text, sizeof text, "rank %d %s", rank, why);
  return percale_status_create(PERCALE_UNAVAILABLE, text, PERCALE_NUL_ENDED);
}

static percale_status* exchange(void* user, uint64_t tag, const percale_bytes* sends, percale_bytes* receives,
                                int64_t timeout_ns) {
  const ranks* r = user;
  message out[kMostRanks], in[kMostRanks];
  head expected[kMostRanks];
  int open = 0;
  for (int i = 0; i < r->size; ++i) {
    if (i == r->rank) continue;
    out[i] = (message){{tag, sends[i].size}, sends[i], 0};
    in[i] = (message){{0, 0}, receives[i], 0};
    expected[i] = (head){tag, receives[i].size};
    open += 2;
  }
  const int milliseconds = timeout_ns < 0 ? -1 : (int)(timeout_ns / 1000000);
  while (open > 0) {
    struct pollfd wanted[kMostRanks];
    for (int i = 0; i < r->size; ++i) {
      wanted[i] = (struct pollfd){.fd = -1};
      if (i == r->rank || left(&out[i]) + left(&in[i]) == 0) continue;
      wanted[i].fd = r->connections[i];
      wanted[i].events = (short)((left(&out[i]) > 0 ? POLLOUT : 0) | (left(&in[i]) > 0 ? POLLIN : 0));
    }
    if (poll(wanted, (nfds_t)r->size, milliseconds) == 0) return out_of_step(r->rank, "has waited in vain");
    for (int i = 0; i < r->size; ++i) {
      if (wanted[i].fd < 0 || wanted[i].revents == 0) continue;
      for (int receiving = 0; receiving < 2; ++receiving) {
        message* const m = receiving ? &in[i] : &out[i];
        if (left(m) == 0 || !(wanted[i].revents & (receiving ? POLLIN | POLLHUP : POLLOUT))) continue;
        if (!advance(r->connections[i], m, !receiving)) return out_of_step(i, "has closed its connection");
        const bool announced = receiving && m->done >= sizeof m->head;
        if (announced && memcmp(&m->head, &expected[i], sizeof m->head) != 0) return out_of_step(i, "is out of step");
        if (left(m) == 0) --open;
      }
    }
  }
  return NULL;
}

static struct sockaddr_in address_of(int port) {
  struct sockaddr_in out = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
  out.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return out;
}

static int listen_at(int port) {
  const int out = socket(AF_INET, SOCK_STREAM, 0), yes = 1;
  const struct sockaddr_in address = address_of(port);
  setsockopt(out, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  if (bind(out, (const struct sockaddr*)&address, sizeof address) != 0 || listen(out, kMostRanks) != 0)
    give_up("listen");
  return out;
}

static int call(int port) {
  const struct sockaddr_in address = address_of(port);
  for (int attempt = 0; attempt < 600; ++attempt) {
    const int out = socket(AF_INET, SOCK_STREAM, 0);
    if (connect(out, (const struct sockaddr*)&address, sizeof address) == 0) return out;
    close(out);
    usleep(100000);
  }
  give_up("connect");
  return -1;
}

percale_collective connect_ranks(int rank, int size, int first_port) {
  ranks* const r = calloc(1, sizeof *r);
  if (r == NULL || size > kMostRanks) give_up("ranks");
  r->rank = rank, r->size = size;
  const int listener = listen_at(first_port + rank), yes = 1;
  for (int32_t other = 0; other < rank; ++other) {
    r->connections[other] = call(first_port + other);
    const int32_t own = rank;
    if (write(r->connections[other], &own, sizeof own) != sizeof own) give_up("write");
  }
  for (int i = rank + 1; i < size; ++i) {
    const int connection = accept(listener, NULL, NULL);
    int32_t other = -1;
    if (read(connection, &other, sizeof other) != sizeof other || other <= rank || other >= size) give_up("accept");
    r->connections[other] = connection;
  }
  for (int i = 0; i < size; ++i) {
    if (i != rank) setsockopt(r->connections[i], IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  }
  close(listener);
  return (percale_collective){sizeof(percale_collective), r, rank, size, 1, exchange, NULL};
}
