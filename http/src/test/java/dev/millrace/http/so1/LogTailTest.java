package dev.millrace.http.so1;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The end of a log in memory. */
class LogTailTest {

  private static byte[] frame(long number, int padding) {
    return (number + "x".repeat(padding) + "\n").getBytes(StandardCharsets.UTF_8);
  }

  /** All that a stream at {@code position} sends. */
  private static String read(LogTail tail, long position) {
    StringBuilder text = new StringBuilder();
    long at = position;
    while (at < tail.last()) {
      SseChunk chunk = tail.chunk(at);
      assertThat(chunk).as("position %d", at).isNotNull();
      text.append(new String(chunk.since(at), StandardCharsets.UTF_8));
      at = chunk.last();
    }
    return text.toString();
  }

  @Test
  void everyPositionHasTheRestInOrder() {
    long seed = System.nanoTime();
    SplittableRandom random = new SplittableRandom(seed);
    LogTail tail = LogTail.after(10);
    StringBuilder all = new StringBuilder();
    while (tail.last() < 400) {
      long next = tail.last() + 1;
      List<byte[]> frames =
          IntStream.range(0, random.nextInt(1, 90))
              .mapToObj(i -> frame(next + i, random.nextInt(200)))
              .toList();
      frames.forEach(frame -> all.append(new String(frame, StandardCharsets.UTF_8)));
      tail = tail.append(frames);
    }
    String text = all.toString();
    for (long position = 10; position < tail.last(); position++) {
      String rest = read(tail, position);
      assertThat(text).as("seed %d, position %d", seed, position).endsWith(rest);
      assertThat(rest.lines().count()).isEqualTo(tail.last() - position);
    }
    assertThat(tail.chunk(9)).isNull();
    assertThat(tail.chunk(tail.last())).isNull();
  }

  @Test
  void tailStaysWithinItsLimits() {
    LogTail many = LogTail.after(0);
    LogTail large = LogTail.after(0);
    for (int i = 1; i <= 5_000; i++) {
      many = many.append(List.of(frame(i, 10)));
      large = large.append(List.of(frame(i, 5_000)));
    }
    assertThat(read(many, first(many)).lines().count())
        .isBetween((long) LogTail.ENTRIES - SseChunk.ENTRIES, (long) LogTail.ENTRIES);
    assertThat(read(large, first(large)).length())
        .isBetween(LogTail.BYTES - SseChunk.BYTES, LogTail.BYTES);
  }

  /** The first position in memory. */
  private static long first(LogTail tail) {
    long position = tail.last() - 1;
    while (tail.chunk(position) != null) {
      position--;
    }
    return position + 1;
  }

  @Test
  void frameLargerThanTheLimitIsKept() {
    LogTail tail = LogTail.after(0).append(List.of(frame(1, 10), frame(2, LogTail.BYTES * 2)));
    assertThat(tail.chunk(0)).isNull();
    assertThat(read(tail, 1)).hasSizeGreaterThan(LogTail.BYTES);
  }

  @Test
  void waitingReaderContinuesWithTheNextTail() throws InterruptedException {
    LogTail tail = LogTail.after(0);
    assertThat(tail.awaitNext(Duration.ofMillis(1))).isFalse();
    Thread waiting = Thread.ofVirtual().start(() -> await(tail));
    tail.markSuperseded();
    assertThat(waiting.join(So1TestServer.LONG)).isTrue();
    assertThat(tail.awaitNext(Duration.ZERO)).isTrue();
  }

  private static @Nullable Void await(LogTail tail) {
    try {
      tail.awaitNext(So1TestServer.LONG.plusSeconds(10));
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
    return null;
  }
}
