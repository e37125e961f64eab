package dev.millrace.cli.doctor;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Locale;

/** Checks that rename and fsync work, and how long fsync takes. */
public final class FsyncCheck {
  private static final int ROUNDS = 21;
  private static final double SLOW_MS = 30;

  private final Path workspace;

  public FsyncCheck(Path workspace) {
    this.workspace = workspace;
  }

  public void run(Findings findings) throws IOException {
    if (Files.getFileStore(workspace).isReadOnly()) {
      return; // the check of the permissions says so
    }
    Path own = workspace.resolve(".millrace");
    try (ScratchDirectory scratch = ScratchDirectory.in(Files.isDirectory(own) ? own : workspace)) {
      rename(findings, scratch.path());
      fsync(findings, scratch.path());
      SyncfsProbe.time(scratch.path())
          .ifPresentOrElse(
              nanos -> findings.ok("syncfs", "available, " + millis(nanos)),
              () ->
                  findings.warn(
                      "syncfs",
                      "not available: concurrent submissions share fewer syncs",
                      "nothing to do on this system; on Linux, allow native access"));
    }
  }

  private void rename(Findings findings, Path scratch) throws IOException {
    Path from = Files.createDirectories(scratch.resolve("a/job"));
    Path to = Files.createDirectory(scratch.resolve("b")).resolve("job");
    try {
      Files.writeString(from.resolve("prompt.txt"), "x");
      Files.move(from, to, StandardCopyOption.ATOMIC_MOVE);
      if (Files.exists(from) || !Files.exists(to.resolve("prompt.txt"))) {
        findings.fail("rename", "a renamed directory was incomplete", "use another file system");
      } else {
        findings.ok("rename", "atomic within the workspace");
      }
    } catch (AtomicMoveNotSupportedException e) {
      findings.fail("rename", "not atomic: " + e.getReason(), "use another file system");
    }
  }

  private void fsync(Findings findings, Path scratch) throws IOException {
    long[] times = new long[ROUNDS];
    ByteBuffer block = ByteBuffer.allocate(4_096);
    try (FileChannel file =
        FileChannel.open(
            scratch.resolve("sync"), StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
      for (int i = 0; i < ROUNDS; i++) {
        file.write(block.clear());
        long start = System.nanoTime();
        file.force(true);
        times[i] = System.nanoTime() - start;
      }
    }
    try (FileChannel directory = FileChannel.open(scratch, StandardOpenOption.READ)) {
      directory.force(true);
    }
    Arrays.sort(times);
    long median = times[ROUNDS / 2];
    String text = "median " + millis(median) + ", slowest " + millis(times[ROUNDS - 1]);
    if (median / 1e6 > SLOW_MS) {
      findings.warn("fsync", text, "a submission waits for several: use a faster disk");
    } else {
      findings.ok("fsync", text);
    }
  }

  private static String millis(long nanos) {
    return String.format(Locale.ROOT, "%.2f ms", nanos / 1e6);
  }
}
