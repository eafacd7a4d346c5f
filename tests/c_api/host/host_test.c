/* Tests what a host supplies: its thread pool, its files, its memory; and what an engine gives back
 * and counts.
 * Usage: host_test FOLDER (exists and is writable) */
#include "host_fixture.h"

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  snprintf(folder, sizeof folder, "%s", argv[1]);
  test_thread_pools();
  test_readers();
  test_memory();
  return check_done();
}
