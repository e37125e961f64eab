package dev.millrace.server.infer.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.RandomAccessFile;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Hashing of files while they are loaded. */
class ModelFileHasherTest {
  @TempDir Path directory;

  private static Optional<Thread> hashing() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().equals("millrace-hash"))
        .findFirst();
  }

  @Test
  void hashingStopsWhenLoadingFails() throws Exception {
    Path file = directory.resolve("holes");
    try (RandomAccessFile holes = new RandomAccessFile(file.toFile(), "rw")) {
      holes.setLength(1L << 40); // takes no space on disk, and many minutes to read
    }
    Thread[] reader = new Thread[1];
    assertThatThrownBy(
            () ->
                new ModelFileHasher()
                    .<AutoCloseable>hashWhile(
                        List.of(file),
                        () -> {
                          reader[0] = hashing().orElseThrow();
                          throw new IllegalStateException("no model");
                        }))
        .hasMessage("no model");
    assertThat(reader[0].join(Duration.ofSeconds(30))).as("reading has stopped").isTrue();
  }
}
