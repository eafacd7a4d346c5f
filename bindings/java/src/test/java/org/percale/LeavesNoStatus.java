package org.percale;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** A base of test cases that use one engine each and check that all errors were released. */
abstract class LeavesNoStatus {
  Engine engine;
  private long statuses;

  @BeforeEach
  void begin() throws InterruptedException {
    statuses = Graphs.statusesBeforeTest();
    engine = Graphs.engine();
  }

  @AfterEach
  void noStatusIsLeftBehind() {
    engine.close();
    assertEquals(statuses, Percale.liveStatuses());
  }
}
