package dev.millrace.examples;

import dev.millrace.core.job.JobId;
import dev.millrace.core.store.JobStore;
import dev.millrace.server.Server;
import dev.millrace.server.Worker;
import dev.millrace.store.fs.Workspace;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.Objects;

/** A durable queue inside your program: submit a job, process it with a lambda, read the result. */
public final class EmbeddedQueue {
  private EmbeddedQueue() {}

  /**
   * Runs one job.
   *
   * @param args the directory of the workspace
   */
  public static void main(String[] args) throws InterruptedException {
    Workspace workspace = Workspace.open(Path.of(args[0]));
    try (JobStore store = workspace.own().orElseThrow();
        Server server =
            Server.builder(store)
                .worker(Worker.of("generate", task -> task.text().toUpperCase(Locale.ROOT)))
                .build()) {
      server.start();
      JobId id = Objects.requireNonNull(workspace.work().submit("water turns the wheel").id());
      System.out.println(id + " " + workspace.flow().await(id, Duration.ofMinutes(1)));
      workspace.flow().get(id).ifPresent(job -> System.out.println(job.result()));
    }
  }
}
