package dev.millrace.core.internal.thread;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class MonitoredThreadsTest {
  private static final Logger LOG = Logger.getLogger("dev.millrace.server");

  @BeforeEach
  void silenceTheLog() {
    LOG.setLevel(Level.OFF);
  }

  @AfterEach
  void restore() {
    LOG.setLevel(null);
    MonitoredThreads.forget("millrace-test");
  }

  private static void die() {
    throw new StackOverflowError("injected");
  }

  @Test
  void aServiceThreadThatDiesIsRemembered() throws InterruptedException {
    MonitoredThreads.service("millrace-test").start(MonitoredThreadsTest::die).join();
    assertThat(MonitoredThreads.dead()).contains("millrace-test");
  }

  @Test
  void aVirtualServiceThreadThatDiesIsRemembered() throws InterruptedException {
    MonitoredThreads.virtualService("millrace-test").start(MonitoredThreadsTest::die).join();
    assertThat(MonitoredThreads.dead()).contains("millrace-test");
  }

  @Test
  void aServiceThreadThatReturnsIsNotDead() throws InterruptedException {
    MonitoredThreads.service("millrace-test").start(() -> {}).join();
    assertThat(MonitoredThreads.dead()).doesNotContain("millrace-test");
  }

  @Test
  void oneFailedPieceOfWorkSaysNothingAboutTheServer() throws InterruptedException {
    MonitoredThreads.work().name("millrace-test").start(MonitoredThreadsTest::die).join();
    MonitoredThreads.virtualWork().name("millrace-test").start(MonitoredThreadsTest::die).join();
    assertThat(MonitoredThreads.dead()).doesNotContain("millrace-test");
  }
}
