package dev.millrace.http.monitoring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.internal.thread.MonitoredThreads;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.StoreException;
import dev.millrace.server.InMemoryServer;
import dev.millrace.server.Server;
import dev.millrace.server.Worker;
import java.lang.reflect.Proxy;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class BuiltInReadinessChecksTest {

  @Test
  void serverIsReadyWhileItRuns() throws InterruptedException {
    try (InMemoryServer inMemory = new InMemoryServer()) {
      Server server = inMemory.keep(inMemory.builder(Worker.of("run", _ -> "x")).build());
      AtomicReference<Server> present = new AtomicReference<>();
      AtomicReference<String> phase = new AtomicReference<>("loading model \"x\"");
      ReadinessCheck ready =
          BuiltInReadinessChecks.server(present::get, () -> Optional.ofNullable(phase.get()));
      assertThat(ready.failure()).contains("loading model \"x\"");
      present.set(server);
      assertThat(ready.failure()).contains("loading model \"x\"");
      phase.set(null);
      assertThat(ready.failure()).contains("it is STARTING");
      server.start();
      assertThat(ready.failure()).isEmpty();
      server.stop();
      assertThat(ready.failure()).contains("it is STOPPED");
    }
  }

  @Test
  void deadThreadIsReportedWithoutItsName() throws InterruptedException {
    try {
      MonitoredThreads.service("millrace-test")
          .start(
              () -> {
                throw new StackOverflowError("injected");
              })
          .join();
      assertThat(BuiltInReadinessChecks.threads().failure())
          .contains("1 thread has died; the server's log says which and why; restart the server");
    } finally {
      MonitoredThreads.forget("millrace-test");
    }
    assertThat(BuiltInReadinessChecks.threads().failure()).isEmpty();
  }

  @Test
  void failedStoreIsReportedWithoutDetails() {
    JobStore failing =
        (JobStore)
            Proxy.newProxyInstance(
                JobStore.class.getClassLoader(),
                new Class<?>[] {JobStore.class},
                (_, _, _) -> {
                  throw new StoreException("/var/lib/secret/path: no space left");
                });
    assertThat(BuiltInReadinessChecks.store(failing).failure())
        .hasValueSatisfying(text -> assertThat(text).doesNotContain("/var"));
    try (InMemoryServer inMemory = new InMemoryServer()) {
      assertThat(BuiltInReadinessChecks.store(inMemory.store).failure()).isEmpty();
    }
  }
}
