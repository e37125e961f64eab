package dev.millrace.http.so1;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class LogTailTest {

  private static byte[] frame(long number, int padding) {
    return (number + "x".repeat(padding) + "\n").getBytes(StandardCharsets.UTF_8);
  }

  /** What a stream at {@code position} would send, all of it. */
  private static String read(LogTail window, long position) {
    StringBuilder text = new StringBuilder();
    long at = position;
    while (at < window.last()) {
      SseChunk chunk = window.chunk(at);
      assertThat(chunk).as("position %d", at).isNotNull();
      text.append(new String(chunk.since(at), StandardCharsets.UTF_8));
      at = chunk.last();
    }
    return text.toString();
  }

  @Test
  void fromEveryPositionTheRestIsThereOnceAndInOrder() {
    long seed = System.nanoTime();
    SplittableRandom random = new SplittableRandom(seed);
    LogTail window = LogTail.after(10);
    StringBuilder all = new StringBuilder();
    while (window.last() < 400) {
      long next = window.last() + 1;
      List<byte[]> frames =
          IntStream.range(0, random.nextInt(1, 90))
              .mapToObj(i -> frame(next + i, random.nextInt(200)))
              .toList();
      frames.forEach(frame -> all.append(new String(frame, StandardCharsets.UTF_8)));
      window = window.append(frames);
    }
    String text = all.toString();
    for (long position = 10; position < window.last(); position++) {
      String rest = read(window, position);
      assertThat(text).as("seed %d, position %d", seed, position).endsWith(rest);
      assertThat(rest.lines().count()).isEqualTo(window.last() - position);
    }
    assertThat(window.chunk(9)).isNull();
    assertThat(window.chunk(window.last())).isNull();
  }

  @Test
  void itHoldsNoMoreThanItMay() {
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

  /** The first position from which all is there. */
  private static long first(LogTail window) {
    long position = window.last() - 1;
    while (window.chunk(position) != null) {
      position--;
    }
    return position + 1;
  }

  @Test
  void aFrameLargerThanAllIsStillHeld() {
    LogTail window = LogTail.after(0).append(List.of(frame(1, 10), frame(2, LogTail.BYTES * 2)));
    assertThat(window.chunk(0)).isNull();
    assertThat(read(window, 1)).hasSizeGreaterThan(LogTail.BYTES);
  }

  @Test
  void whoeverWaitsGoesOnWhenThereIsMore() throws InterruptedException {
    LogTail window = LogTail.after(0);
    assertThat(window.awaitNext(Duration.ofMillis(1))).isFalse();
    Thread waiting = Thread.ofVirtual().start(() -> await(window));
    window.markSuperseded();
    assertThat(waiting.join(So1TestServer.LONG)).isTrue();
    assertThat(window.awaitNext(Duration.ZERO)).isTrue();
  }

  private static @Nullable Void await(LogTail window) {
    try {
      window.awaitNext(So1TestServer.LONG.plusSeconds(10));
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
    return null;
  }
}
