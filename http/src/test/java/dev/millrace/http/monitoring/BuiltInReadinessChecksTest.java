package dev.millrace.http.monitoring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.internal.thread.MonitoredThreads;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.health.StoreHealth;
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

  /** Anyone may ask, as often as they like: with a million jobs it must cost no more. */
  @Test
  void storeIsAskedOnlyForWhatItKnows() {
    AtomicReference<StoreHealth> health = new AtomicReference<>(StoreHealth.GOOD);
    JobStore store =
        (JobStore)
            Proxy.newProxyInstance(
                JobStore.class.getClassLoader(),
                new Class<?>[] {JobStore.class},
                (_, method, _) -> {
                  assertThat(method.getName()).isEqualTo("health");
                  return health.get();
                });
    ReadinessCheck check = BuiltInReadinessChecks.store(store);
    assertThat(check.failure()).isEmpty();
    health.set(new StoreHealth(StoreHealth.Trouble.FULL, 1, 0));
    assertThat(check.failure()).contains("its disk is full; free some space");
  }
}
