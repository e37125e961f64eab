package dev.millrace.http.so1;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.store.Claim;
import dev.millrace.core.task.TaskResult;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Thousands of streams of one job. The full number needs 12,000 open files in each process. */
class ManyStreamsTest {
  private static final int STREAMS = Boolean.getBoolean("millrace.proof") ? 10_000 : 2_000;
  private static final int LINES = 20;

  @TempDir Path directory;

  @Test
  void everyStreamGetsAllEventsAndNeedsLittleMemory() throws Exception {
    try (So1TestServer service = new So1TestServer()) {
      JobId id = service.submit(JobSpec.prompt("generate", "Hello"));
      long before = used();
      Path ready = directory.resolve("ready");
      Path report = directory.resolve("report");
      Process clients = clients(service, id, ready, report);
      try {
        Awaitility.await()
            .atMost(Duration.ofSeconds(60))
            .until(() -> Files.exists(ready) || !clients.isAlive());
        assertThat(service.routes.following()).isOne();
        long each = (used() - before) / STREAMS;
        assertThat(each).as("bytes of heap for a stream").isLessThan(100_000);
        Claim claim = service.claim();
        for (int i = 0; i < LINES; i++) {
          service.store.log(claim, "info", "line " + i);
        }
        service.store.complete(claim, TaskResult.of("done"));
        assertThat(clients.waitFor(60, TimeUnit.SECONDS)).as("all streams ended").isTrue();
        String[] seen = Files.readString(report).split(" ");
        assertThat(seen[0]).as("streams that got everything once").isEqualTo("" + STREAMS);
        assertThat(seen[1])
            .as("events")
            .isEqualTo("" + service.store.find(id).orElseThrow().lastEvent());
        assertThat(Long.parseLong(seen[2]))
            .as("milliseconds from the first to the last stream, with %d bytes each", each)
            .isLessThan(20_000);
        Awaitility.await().until(() -> service.routes.following() == 0);
      } finally {
        clients.destroyForcibly();
      }
    }
  }

  private static Process clients(So1TestServer service, JobId id, Path ready, Path report)
      throws Exception {
    return new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Xmx256m",
            "-cp",
            System.getProperty("java.class.path"),
            ManySseClients.class.getName(),
            Integer.toString(service.http.address().getPort()),
            So1TestServer.path(id) + "/events",
            Integer.toString(STREAMS),
            ready.toString(),
            report.toString())
        .redirectErrorStream(true)
        .redirectOutput(report.resolveSibling("clients.log").toFile())
        .start();
  }

  private static long used() {
    System.gc();
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
  }
}
