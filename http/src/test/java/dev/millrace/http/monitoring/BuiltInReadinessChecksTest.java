package dev.millrace.http.monitoring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.StoreException;
import dev.millrace.server.InMemoryServer;
import dev.millrace.server.Server;
import dev.millrace.server.Worker;
import java.lang.reflect.Proxy;
import org.junit.jupiter.api.Test;

class BuiltInReadinessChecksTest {

  @Test
  void aServerIsReadyWhileItRuns() throws InterruptedException {
    try (InMemoryServer mill = new InMemoryServer()) {
      Server server = mill.keep(mill.builder(Worker.of("run", _ -> "x")).build());
      ReadinessCheck ready = BuiltInReadinessChecks.server(server);
      assertThat(ready.failure()).contains("it is STARTING");
      server.start();
      assertThat(ready.failure()).isEmpty();
      server.stop();
      assertThat(ready.failure()).contains("it is STOPPED");
    }
  }

  @Test
  void aStoreThatFailsIsSaidWithoutItsSecrets() {
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
    try (InMemoryServer mill = new InMemoryServer()) {
      assertThat(BuiltInReadinessChecks.store(mill.store).failure()).isEmpty();
    }
  }
}
