package org.percale;

import org.junit.jupiter.api.AfterEach;

/** A base of test cases that use one engine each. */
abstract class WithEngine {
  final Engine engine = Graphs.engine();

  @AfterEach
  void end() {
    engine.close();
  }
}
