package dev.millrace.bench;

import dev.millrace.bench.harness.InterleavedRounds;
import dev.millrace.bench.harness.ScratchDirectories;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.store.ClaimRequest;
import dev.millrace.core.store.JobStore;
import dev.millrace.store.fs.Workspace;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * Measures how submit, claim and idle costs grow with the number of waiting or finished jobs in a
 * workspace. Each row is compared with the first.
 */
public final class GrowthBench {
  private static final int SAMPLES = 400;
  private static final int IDLE_SECONDS = 5;

  /** Some file systems do not allow more hard links to one file. */
  private static final int LINKS = 50_000;

  private record Cost(double submit, double claim, double idle) {}

  private GrowthBench() {}

  public static void main(String[] args) throws Exception {
    List<Integer> sizes = new ArrayList<>();
    for (String arg : args.length > 0 ? args : new String[] {"1000", "100000"}) {
      sizes.add(Integer.parseInt(arg));
    }
    measure(1_000, "input/ready"); // to warm up
    for (String place : List.of("input/ready", "output")) {
      Cost base = null;
      for (int size : sizes) {
        Cost cost = measure(size, place);
        base = base == null ? cost : base;
        System.out.printf(
            Locale.ROOT,
            "%,9d in %-12s submit %6.0f us (%.2fx)  claim %6.0f us (%.2fx)  idle second %5.2f ms"
                + " cpu%n",
            size,
            place,
            cost.submit(),
            cost.submit() / base.submit(),
            cost.claim(),
            cost.claim() / base.claim(),
            cost.idle());
      }
    }
    ScratchDirectories.clean();
  }

  private static Cost measure(int size, String place) throws Exception {
    Path dir = ScratchDirectories.fresh("growth");
    Workspace workspace = Workspace.open(dir);
    fill(dir, place, size);
    new ProcessBuilder("sync").start().waitFor();
    long before = heap();
    long start = System.nanoTime();
    try (JobStore store = workspace.own().orElseThrow()) {
      double open = (System.nanoTime() - start) / 1e6;
      if (place.equals("input/ready") && size > 1_000) {
        System.out.printf(
            Locale.ROOT,
            "%,9d waiting: opened in %.0f ms, %d bytes of heap a job%n",
            size,
            open,
            (heap() - before) / size);
      }
      List<Double> submits = new ArrayList<>();
      List<Double> claims = new ArrayList<>();
      for (int i = 0; i < SAMPLES; i++) {
        long from = System.nanoTime();
        store.submit(JobSpec.prompt("generate", "p"));
        submits.add((System.nanoTime() - from) / 1e3);
        from = System.nanoTime();
        store.claim(new ClaimRequest(Set.of("generate"), 1, "bench", null));
        claims.add((System.nanoTime() - from) / 1e3);
      }
      return new Cost(InterleavedRounds.median(submits), InterleavedRounds.median(claims), idle());
    }
  }

  /** Creates jobs as links to a few files, so that a million fit on any disk. */
  private static void fill(Path root, String place, int size) throws IOException {
    Path shared = Files.createDirectory(root.resolve("shared"));
    Path prompt = shared;
    Path meta = shared;
    for (int i = 0; i < size; i++) {
      if (i % LINKS == 0) {
        prompt = Files.writeString(shared.resolve("prompt" + i), "p");
        meta =
            Files.writeString(
                shared.resolve("meta" + i),
                "{\"submitted_at\": \"2026-01-01T00:00:00.000000Z\", \"mode\": \"text\"}\n");
      }
      Path dir =
          Files.createDirectory(
              root.resolve(place).resolve(JobId.of(1_700_000_000_000_000L + i, 1, 0).value()));
      Files.createLink(dir.resolve("prompt.txt"), prompt);
      Files.createLink(dir.resolve("meta.json"), meta);
    }
  }

  private static long heap() {
    System.gc();
    Runtime runtime = Runtime.getRuntime();
    return runtime.totalMemory() - runtime.freeMemory();
  }

  /** Milliseconds of CPU per idle second. */
  private static double idle() throws InterruptedException {
    var system =
        (com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    Thread.sleep(6_000); // until the first rescan has seen the last change
    long before = system.getProcessCpuTime();
    Thread.sleep(IDLE_SECONDS * 1_000L);
    return (system.getProcessCpuTime() - before) / 1e6 / IDLE_SECONDS;
  }
}
