package dev.millrace.cli.serve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.cli.command.CommandException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AccessLogFileTest {
  @TempDir Path dir;

  @Test
  void withoutTheOptionThereIsNoLog() {
    assertThat(AccessLogFile.open(null)).isNull();
  }

  @Test
  void linesAreAppendedAndFlushed() throws IOException {
    Path file = dir.resolve("log");
    Files.writeString(file, "before\n");
    try (AccessLogFile log = AccessLogFile.open(file.toString())) {
      log.accept("{\"a\":\"é\"}");
      assertThat(Files.readString(file)).isEqualTo("before\n{\"a\":\"é\"}\n");
    }
  }

  @Test
  void renamedFileIsReplacedByANewOneAndNoLineIsLost() throws IOException {
    Path file = dir.resolve("log");
    try (AccessLogFile log = AccessLogFile.open(file.toString())) {
      log.accept("one");
      Files.move(file, dir.resolve("log.1"));
      log.accept("two");
      Files.delete(file);
      log.accept("three");
    }
    assertThat(dir.resolve("log.1")).hasContent("one\n");
    assertThat(file).hasContent("three\n");
  }

  @Test
  void theFileIsOpenedAgainOnDemand() throws IOException {
    Path file = dir.resolve("log");
    try (AccessLogFile log = AccessLogFile.open(file.toString())) {
      log.accept("one");
      assertThat(log.reopen()).isTrue();
      log.accept("two");
    }
    assertThat(file).hasContent("one\ntwo\n");
    assertThat(AccessLogFile.open("-").reopen()).isFalse();
  }

  @Test
  void linesStayInTheOldFileWhileTheNewOneCannotBeOpened() throws IOException {
    Path folder = Files.createDirectory(dir.resolve("logs"));
    Path elsewhere = dir.resolve("elsewhere");
    try (AccessLogFile log = AccessLogFile.open(folder.resolve("log").toString())) {
      log.accept("one");
      Files.move(folder, elsewhere);
      log.accept("two");
      Files.createDirectory(folder);
      log.accept("three");
    }
    assertThat(elsewhere.resolve("log")).hasContent("one\ntwo\n");
    assertThat(folder.resolve("log")).hasContent("three\n");
  }

  @Test
  void truncatedFileContinuesAtItsStart() throws IOException {
    Path file = dir.resolve("log");
    try (AccessLogFile log = AccessLogFile.open(file.toString())) {
      log.accept("one");
      Files.write(file, new byte[0]);
      log.accept("two");
    }
    assertThat(file).hasContent("two\n");
  }

  @Test
  void linesOfManyThreadsDoNotMix() throws Exception {
    Path file = dir.resolve("log");
    try (AccessLogFile log = AccessLogFile.open(file.toString())) {
      List<Thread> threads = new ArrayList<>();
      for (int i = 0; i < 8; i++) {
        String line = String.valueOf(i).repeat(3_000);
        threads.add(
            Thread.startVirtualThread(() -> IntStream.range(0, 50).forEach(_ -> log.accept(line))));
      }
      for (Thread thread : threads) {
        thread.join();
      }
    }
    List<String> lines = Files.readAllLines(file);
    assertThat(lines).hasSize(400).allMatch(line -> line.length() == 3_000);
    assertThat(lines).allMatch(line -> line.chars().distinct().count() == 1);
  }

  @Test
  void anUnwritableFileIsRejected() {
    assertThatThrownBy(() -> AccessLogFile.open(dir.resolve("none/log").toString()))
        .isInstanceOf(CommandException.class)
        .hasMessageContaining("cannot write the access log");
  }
}
