/* A collective over TCP connections of one machine. */
#ifndef PERCALE_TESTS_BENCH_GROUP_EXCHANGE_H_
#define PERCALE_TESTS_BENCH_GROUP_EXCHANGE_H_

#include <percale/collective.h>

/* Connects `size` processes, of which this one is `rank`; rank r listens at `first_port` + r. Ends
 * the program with a message on failure. Never released. */
percale_collective connect_ranks(int rank, int size, int first_port);

#endif /* PERCALE_TESTS_BENCH_GROUP_EXCHANGE_H_ */
