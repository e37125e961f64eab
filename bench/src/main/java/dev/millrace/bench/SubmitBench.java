package dev.millrace.bench;

import static java.nio.file.StandardOpenOption.CREATE_NEW;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;

import dev.millrace.bench.harness.InterleavedRounds;
import dev.millrace.bench.harness.ScratchDirectories;
import dev.millrace.core.Work;
import dev.millrace.store.fs.Workspace;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Measures durable submissions per second, compared with the bare system calls of one submission.
 */
public final class SubmitBench {
  private static final String PROMPT = "Why is the sky blue? ".repeat(8);
  private static final String META =
      "{\n  \"submitted_at\": \"2026-01-01T00:00:00.000000Z\",\n  \"mode\": \"text\"\n}\n";

  private SubmitBench() {}

  public static void main(String[] args) throws Exception {
    new InterleavedRounds()
        .add("bare loop of system calls", () -> bare(1_000))
        .add("one submitter", () -> submit(1, 1_000))
        .add("64 submitters", () -> submit(64, 12_800))
        .run(5)
        .print("submissions");
    ScratchDirectories.clean();
  }

  private static double bare(int jobs) throws IOException {
    Path root = ScratchDirectories.fresh("bare");
    Path writing = Files.createDirectory(root.resolve("writing"));
    Path ready = Files.createDirectory(root.resolve("ready"));
    long start = System.nanoTime();
    for (int i = 0; i < jobs; i++) {
      Path dir = Files.createDirectory(writing.resolve("job" + i));
      write(dir.resolve("prompt.txt"), PROMPT);
      write(dir.resolve("meta.json"), META);
      sync(dir);
      Files.move(dir, ready.resolve("job" + i), StandardCopyOption.ATOMIC_MOVE);
      sync(ready);
    }
    return jobs * 1e9 / (System.nanoTime() - start);
  }

  private static void write(Path file, String text) throws IOException {
    try (FileChannel channel = FileChannel.open(file, CREATE_NEW, WRITE)) {
      channel.write(ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)));
      channel.force(true);
    }
  }

  private static void sync(Path dir) throws IOException {
    try (FileChannel channel = FileChannel.open(dir, READ)) {
      channel.force(true);
    }
  }

  private static double submit(int threads, int jobs) throws Exception {
    Work work = Workspace.open(ScratchDirectories.fresh("submit")).work();
    AtomicInteger left = new AtomicInteger(jobs);
    CountDownLatch done = new CountDownLatch(threads);
    long start = System.nanoTime();
    for (int i = 0; i < threads; i++) {
      Thread.ofPlatform()
          .start(
              () -> {
                while (left.decrementAndGet() >= 0) {
                  Work.SubmitResult result = work.submit(PROMPT);
                  if (!result.ok()) {
                    throw new IllegalStateException(result.message());
                  }
                }
                done.countDown();
              });
    }
    done.await();
    return jobs * 1e9 / (System.nanoTime() - start);
  }
}
