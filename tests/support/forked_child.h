// Checks in a forked child, for tests of systems that have fork().
#ifndef PERCALE_TESTS_SUPPORT_FORKED_CHILD_H_
#define PERCALE_TESTS_SUPPORT_FORKED_CHILD_H_

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace percale {

// Checks that `body` returns true in a forked child.
template <typename Body>
void check_child(const Body& body) {
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    alarm(30);  // a child that hangs must not hang the test
    _exit(body() ? 0 : 1);
  }
  int how = -1;
  REQUIRE(waitpid(child, &how, 0) == child);
  CHECK(WIFEXITED(how));
  CHECK(WEXITSTATUS(how) == 0);
}

}  // namespace percale

#endif  // PERCALE_TESTS_SUPPORT_FORKED_CHILD_H_
