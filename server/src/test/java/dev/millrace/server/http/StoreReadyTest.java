package dev.millrace.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.StoreException;
import dev.millrace.server.Mill;
import dev.millrace.server.Server;
import dev.millrace.server.Worker;
import java.lang.reflect.Proxy;
import org.junit.jupiter.api.Test;

class StoreReadyTest {

  @Test
  void aServerIsReadyWhileItRuns() throws InterruptedException {
    try (Mill mill = new Mill()) {
      Server server = mill.keep(mill.builder(Worker.of("run", _ -> "x")).build());
      Readiness ready = StoreReady.server(server);
      assertThat(ready.trouble()).contains("it is STARTING");
      server.start();
      assertThat(ready.trouble()).isEmpty();
      server.stop();
      assertThat(ready.trouble()).contains("it is STOPPED");
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
    assertThat(StoreReady.store(failing).trouble())
        .hasValueSatisfying(text -> assertThat(text).doesNotContain("/var"));
    try (Mill mill = new Mill()) {
      assertThat(StoreReady.store(mill.store).trouble()).isEmpty();
    }
  }
}
