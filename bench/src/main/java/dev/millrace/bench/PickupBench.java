package dev.millrace.bench;

import dev.millrace.bench.harness.InterleavedRounds;
import dev.millrace.bench.harness.ScratchDirectories;
import dev.millrace.core.store.JobStore;
import dev.millrace.server.Server;
import dev.millrace.server.Worker;
import dev.millrace.store.fs.Workspace;
import java.util.Locale;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * Measures how long a job of another process waits: from the rename that publishes it to its claim.
 */
public final class PickupBench {
  private PickupBench() {}

  public static void main(String[] args) throws Exception {
    int jobs = args.length > 0 ? Integer.parseInt(args[0]) : 2_000;
    long[] latencies = new long[jobs];
    BlockingQueue<Long> started = new ArrayBlockingQueue<>(1);
    Workspace workspace = Workspace.open(ScratchDirectories.fresh("pickup"));
    try (JobStore store = workspace.own().orElseThrow()) {
      Server server =
          Server.builder(store)
              .slots(4)
              .worker(
                  Worker.of(
                      "generate",
                      task -> {
                        started.put(System.nanoTime());
                        return "r";
                      }))
              .build()
              .start();
      for (int i = -200; i < jobs; i++) {
        // Another Workspace object, as in another process: the store notices the job by file
        // events.
        workspace.work().submit("p");
        long submitted = System.nanoTime();
        Long at = started.poll(30, TimeUnit.SECONDS);
        if (at == null) {
          throw new IllegalStateException("job " + i + " was not picked up");
        }
        if (i >= 0) {
          latencies[i] = Math.max(0, at - submitted);
        }
      }
      server.stop();
    }
    System.out.printf(
        Locale.ROOT,
        "pickup: p50 %.2f ms, p99 %.2f ms, max %.2f ms over %d jobs%n",
        InterleavedRounds.percentile(latencies, 0.5) / 1e6,
        InterleavedRounds.percentile(latencies, 0.99) / 1e6,
        InterleavedRounds.percentile(latencies, 1.0) / 1e6,
        jobs);
    ScratchDirectories.clean();
  }
}
