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
    statuses = Graphs.liveStatuses(0);
    engine = Graphs.engine();
  }

  @AfterEach
  void noStatusIsLeftBehind() throws InterruptedException {
    engine.close();
    assertEquals(statuses, Graphs.liveStatuses(statuses));
  }
}
