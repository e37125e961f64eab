package dev.millrace.examples;

import dev.millrace.core.Flow;
import dev.millrace.core.Work;
import dev.millrace.core.job.JobId;
import dev.millrace.core.store.JobStore;
import dev.millrace.server.Server;
import dev.millrace.server.Worker;
import dev.millrace.store.fs.Workspace;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;

/** A whole queue inside another program: submit, work off, read the result. */
public final class EmbeddedServer {
  private EmbeddedServer() {}

  /** Runs one prompt through the workspace in the directory that the first argument names. */
  public static void main(String[] args) throws InterruptedException {
    Workspace workspace = Workspace.open(Path.of(args[0]));

    Work work = workspace.work();
    Work.SubmitResult submitted = work.submit("water turns the wheel");
    JobId id = submitted.id();
    if (id == null) {
      System.err.println(submitted.message());
      return;
    }

    try (JobStore store = workspace.own().orElseThrow();
        Server server =
            Server.builder(store)
                .worker(Worker.of("generate", task -> task.text().toUpperCase(Locale.ROOT)))
                .slots(2)
                .build()) {
      server.start();
      Flow flow = workspace.flow();
      Flow.Status status = flow.await(id, Duration.ofMinutes(1));
      System.out.println(id + " " + status);
      flow.get(id).ifPresent(job -> System.out.println(job.result()));
    }
  }
}
