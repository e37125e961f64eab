package dev.millrace.bench;

import dev.millrace.bench.harness.InterleavedRounds;
import dev.millrace.bench.harness.ScratchDirectories;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.stage.StageSpec;
import dev.millrace.core.stage.TaskSpec;
import dev.millrace.core.store.JobStore;
import dev.millrace.server.Server;
import dev.millrace.server.Worker;
import dev.millrace.store.fs.Workspace;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/**
 * Measures no-op tasks per second through claim and complete, each durable, compared with a bare
 * loop that renames, reads, writes and renames without syncing.
 */
public final class TaskBench {
  private static final int SLOTS = Integer.getInteger("millrace.bench.slots", 256);

  private TaskBench() {}

  public static void main(String[] args) throws Exception {
    new InterleavedRounds()
        .add("bare rename-read-write-rename", () -> bare(10_000))
        .add("plain jobs", () -> plain(10_000))
        .add("tasks of a batch job", () -> batch(20_000))
        .run(5)
        .print("tasks");
    ScratchDirectories.clean();
  }

  private static double bare(int jobs) throws IOException {
    Path root = ScratchDirectories.fresh("bare");
    Path ready = Files.createDirectory(root.resolve("ready"));
    Path processing = Files.createDirectory(root.resolve("processing"));
    Path output = Files.createDirectory(root.resolve("output"));
    for (int i = 0; i < jobs; i++) {
      Files.writeString(Files.createDirectory(ready.resolve("job" + i)).resolve("prompt.txt"), "p");
    }
    long start = System.nanoTime();
    for (int i = 0; i < jobs; i++) {
      Path running = processing.resolve("job" + i);
      Files.move(ready.resolve("job" + i), running, StandardCopyOption.ATOMIC_MOVE);
      String prompt = Files.readString(running.resolve("prompt.txt"));
      Files.writeString(running.resolve("result.txt"), prompt);
      Files.move(running, output.resolve("job" + i), StandardCopyOption.ATOMIC_MOVE);
    }
    return jobs * 1e9 / (System.nanoTime() - start);
  }

  private static double plain(int jobs) throws Exception {
    Workspace workspace = Workspace.open(ScratchDirectories.fresh("plain"));
    List<Thread> submitters = new ArrayList<>();
    for (int i = 0; i < SLOTS; i++) {
      int share = jobs / SLOTS + (i < jobs % SLOTS ? 1 : 0);
      submitters.add(
          Thread.startVirtualThread(
              () -> {
                for (int n = 0; n < share; n++) {
                  workspace.submitter().submit(JobSpec.prompt("generate", "p"));
                }
              }));
    }
    for (Thread submitter : submitters) {
      submitter.join();
    }
    return work(workspace, jobs);
  }

  private static double batch(int tasks) throws Exception {
    Workspace workspace = Workspace.open(ScratchDirectories.fresh("batch"));
    List<TaskSpec> inputs = new ArrayList<>();
    for (int i = 0; i < tasks; i++) {
      inputs.add(TaskSpec.of("p" + i));
    }
    workspace.submitter().submit(JobSpec.of(List.of(StageSpec.of("generate", inputs))));
    return work(workspace, tasks);
  }

  /** From the first claim to the last acknowledged result. */
  private static double work(Workspace workspace, int tasks) throws Exception {
    CountDownLatch done = new CountDownLatch(1);
    try (JobStore store = workspace.own().orElseThrow()) {
      Server server =
          Server.builder(store).slots(SLOTS).worker(Worker.of("generate", task -> "r")).build();
      long start = System.nanoTime();
      server.start();
      server.drain();
      done.countDown();
      return tasks * 1e9 / (System.nanoTime() - start);
    }
  }
}
