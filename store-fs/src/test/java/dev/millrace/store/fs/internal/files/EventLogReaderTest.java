package dev.millrace.store.fs.internal.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.core.event.Cause;
import dev.millrace.core.event.Fact;
import dev.millrace.core.event.LogEntry;
import dev.millrace.core.event.LogEntryJson;
import dev.millrace.store.fs.internal.disk.Disk;
import dev.millrace.store.fs.internal.disk.RealDisk;
import dev.millrace.store.fs.internal.files.EventLog.DamagedLogException;
import dev.millrace.store.fs.internal.files.JobFiles.JobDirectory;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/** A log is read in parts, whatever lies where one part ends. */
class EventLogReaderTest {
  private static final Instant AT = Instant.parse("2026-11-17T12:00:00Z");

  @TempDir Path dir;
  private final StringBuilder log = new StringBuilder();
  private final List<LogEntry> written = new ArrayList<>();

  private void add(Fact fact, boolean more) {
    LogEntry entry = new LogEntry(written.size() + 1, AT, fact);
    written.add(entry);
    String line = LogEntryJson.write(entry);
    log.append(more ? line.substring(0, line.length() - 1) + ",\"more\":true}" : line).append('\n');
  }

  private void addLine(int length) {
    add(new Fact.WorkerLogLine(1, 1, "info", "ä".repeat(length)), false);
  }

  private JobDirectory at(Disk disk) throws IOException {
    Files.writeString(dir.resolve(EventLog.FILE), log, StandardCharsets.UTF_8);
    return new JobDirectory(disk, dir);
  }

  private List<LogEntry> read(EventLogIndex[] index) throws IOException {
    List<LogEntry> read = new ArrayList<>();
    index[0] = new EventLogReader(at(new RealDisk(dir))).read(read::add);
    return read;
  }

  @Test
  void linesOfAnyLengthArePassedOnInOrder() throws IOException {
    long seed = new Random().nextLong();
    System.out.println("EventLogReaderTest: seed " + seed);
    Random random = new Random(seed);
    for (int i = 0; i < 60; i++) {
      addLine(random.nextBoolean() ? random.nextInt(200) : random.nextInt(100_000));
    }
    EventLogIndex[] index = {null};
    assertThat(read(index)).isEqualTo(written);
    assertThat(index[0].last()).isEqualTo(60);
    assertThat(index[0].length()).isEqualTo(Files.size(dir.resolve(EventLog.FILE)));
    assertThat(index[0].torn()).isNull();
    JobDirectory at = at(new RealDisk(dir));
    for (int after = 0; after <= 60; after++) {
      assertThat(index[0].pages(at).entries(after, 7))
          .isEqualTo(written.subList(after, Math.min(60, after + 7)));
    }
    assertThat(index[0].pages(at).entries(0, 0)).isEmpty();
    assertThat(index[0].pages(at).entries(99, 7)).isEmpty();
  }

  @Test
  void aPageEndsEarlyWhereEntriesAreLargeButHasAtLeastOne() throws IOException {
    for (int i = 0; i < 10; i++) {
      addLine(1_500_000); // 3 MB
    }
    EventLogIndex[] index = {null};
    read(index);
    JobDirectory at = at(new RealDisk(dir));
    assertThat(index[0].pages(at).entries(0, 1_000)).isEqualTo(written.subList(0, 2));
    assertThat(index[0].pages(at).entries(9, 1_000)).isEqualTo(written.subList(9, 10));
  }

  @Test
  void noEntryOfAGroupIsPassedOnBeforeItsLast() throws IOException {
    addLine(1);
    for (int i = 0; i < 2_000; i++) {
      add(new Fact.TasksAdded(1, 1, i % 2, Cause.user("anna", "x".repeat(50))), true);
    }
    EventLogIndex[] index = {null};
    assertThat(read(index)).hasSize(1);
    assertThat(index[0].torn()).contains("bytes after line 1: {\"n\":2");
    long torn = index[0].length();
    add(new Fact.TasksAdded(1, 1, 0, Cause.SYSTEM), false);
    assertThat(read(index)).isEqualTo(written);
    assertThat(torn).isLessThan(200);
  }

  @Test
  void aTornEndIsFoundBehindMoreThanOnePart() throws IOException {
    addLine(100_000);
    long whole = log.toString().getBytes(StandardCharsets.UTF_8).length;
    log.append("{\"n\":2,\"at\":\"").append("x".repeat(100_000));
    EventLogIndex[] index = {null};
    assertThat(read(index)).isEqualTo(written);
    assertThat(index[0].length()).isEqualTo(whole);
    assertThat(index[0].torn()).startsWith("100013 bytes after line 1: {\"n\":2,\"at\":\"xxx");
  }

  @Test
  void aDamagedLineIsNamedHoweverFarTheNextGoodOneIs() {
    addLine(10);
    log.append("no entry").append("\0".repeat(200_000)).append('\n');
    written.add(written.getFirst());
    addLine(10);
    assertThatThrownBy(() -> read(new EventLogIndex[1]))
        .isInstanceOf(DamagedLogException.class)
        .hasMessageContaining("events.jsonl, line 2 is not an entry but later lines are");
  }

  @Test
  void memoryDoesNotGrowWithTheLog() throws IOException {
    for (int i = 0; i < 2_000; i++) {
      addLine(1_000);
    }
    AtomicInteger largest = new AtomicInteger();
    AtomicLong total = new AtomicLong();
    Disk disk = counting(largest, total);
    JobDirectory at = at(disk);
    AtomicLong entries = new AtomicLong();
    new EventLogReader(at).read(_ -> entries.incrementAndGet());
    assertThat(entries).hasValue(2_000);
    assertThat(total).hasValue(Files.size(dir.resolve(EventLog.FILE)));
    assertThat(largest).as("bytes that are read at once").hasValueLessThan(100_000);
  }

  private Disk counting(AtomicInteger largest, AtomicLong total) {
    Disk real = new RealDisk(dir);
    return (Disk)
        Proxy.newProxyInstance(
            Disk.class.getClassLoader(),
            new Class<?>[] {Disk.class},
            (_, method, arguments) -> {
              try {
                Object answer = method.invoke(real, arguments);
                if (answer instanceof byte[] bytes) {
                  largest.accumulateAndGet(bytes.length, Math::max);
                  total.addAndGet(bytes.length);
                }
                return answer;
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  @Test
  @EnabledIfSystemProperty(named = "millrace.proof", matches = "true")
  void offsetsBeyondTwoGibibytesAreFound() throws IOException {
    String line =
        "{\"n\":%d,\"at\":\"2026-11-17T12:00:00Z\",\"on\":\"log\",\"level\":\"i\",\"line\":\"%s\"}\n";
    String text = "x".repeat(4_000_000);
    Path file = dir.resolve(EventLog.FILE);
    int lines = 600;
    try (RandomAccessFile out = new RandomAccessFile(file.toFile(), "rw")) {
      for (int i = 1; i <= lines; i++) {
        out.write(line.formatted(i, text).getBytes(StandardCharsets.US_ASCII));
      }
    }
    assertThat(Files.size(file)).isGreaterThan(1L << 31);
    JobDirectory at = new JobDirectory(new RealDisk(dir), dir);
    EventLogIndex index = new EventLogReader(at).read(_ -> {});
    assertThat(index.last()).isEqualTo(lines);
    assertThat(index.pages(at).entries(lines - 1, 9)).hasSize(1);
  }
}
