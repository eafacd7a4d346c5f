/* Prints the cost of a prepared call in C in nanoseconds: the least of many short trials. */
#include <stdio.h>
#include <time.h>

#include "calls.h"

enum { RUNS = 20000, TRIALS = 60 };

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

int main(void) {
  calls* c = calls_open();
  double least = 1e30;
  int i, good = c != NULL && calls_run(c, RUNS);
  for (i = 0; i < TRIALS && good; ++i) {
    const double began = now();
    double mean;
    good = calls_run(c, RUNS);
    mean = (now() - began) / RUNS;
    if (mean < least) least = mean;
  }
  calls_close(c);
  if (good) printf("%.2f\n", least);
  return !good;
}
