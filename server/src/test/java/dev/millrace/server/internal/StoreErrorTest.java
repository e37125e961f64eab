package dev.millrace.server.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.core.store.JobException;
import dev.millrace.core.time.ProcessClock;
import dev.millrace.server.DrainResult;
import dev.millrace.server.InMemoryServer;
import dev.millrace.server.StoreInterceptor;
import dev.millrace.server.Worker;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** A store that throws Errors: the server goes on. */
class StoreErrorTest {

  @Test
  void anErrorIsRetriedAndThenGivenUpForThisJobAlone() {
    StoreRetry retry = new StoreRetry(ProcessClock.system());
    AtomicInteger calls = new AtomicInteger();
    assertThat(
            retry.callWithRetry(
                () -> {
                  if (calls.incrementAndGet() == 1) {
                    throw new StackOverflowError("once");
                  }
                  return "stored";
                }))
        .contains("stored");
    assertThatThrownBy(
            () ->
                retry.callWithRetry(
                    () -> {
                      throw new StackOverflowError("always");
                    }))
        .isInstanceOf(JobException.class)
        .hasMessage("the store failed 4 times: java.lang.StackOverflowError: always");
    assertThat(retry.isFailingForOthers(this)).isFalse();
  }

  @Test
  void anErrorOfEachVerbOnceLosesNoTask() throws InterruptedException {
    Map<String, Boolean> thrown = new ConcurrentHashMap<>();
    StoreInterceptor failing =
        call -> {
          boolean verb =
              switch (call.name()) {
                case "claim", "complete", "heartbeat", "sweep", "awaitWork", "isIdle" -> true;
                default -> false;
              };
          if (verb && thrown.putIfAbsent(call.name(), true) == null) {
            throw new OutOfMemoryError("injected into " + call.name());
          }
          return call.proceed();
        };
    try (InMemoryServer inMemory = new InMemoryServer(StoreInterceptor.intercepting(failing))) {
      inMemory.submit("work", "a", "b", "c");
      assertThat(inMemory.keep(inMemory.builder(Worker.of("work", task -> "x")).build()).drain())
          .isEqualTo(DrainResult.CLEAN);
      assertThat(thrown).containsKeys("claim", "complete");
    }
  }
}
