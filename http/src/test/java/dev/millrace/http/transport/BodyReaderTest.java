package dev.millrace.http.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.millrace.http.limits.HttpLimits;
import dev.millrace.http.route.Problem;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.nio.charset.CharacterCodingException;
import java.time.Duration;
import java.util.Arrays;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The memory of bodies that are processed at the same time. */
final class BodyReaderTest {
  private static final int BULK = 4 << 20;

  private final StallWatcher stalls = new StallWatcher(_ -> {});
  private final StallTimer stall = stalls.open(null);
  private final BodyReader reader =
      new BodyReader(HttpLimits.DEFAULT.withBodies(1 << 20, BULK), BULK + 1_000);

  @AfterEach
  void close() {
    stalls.close(stall);
    stalls.close();
  }

  private BodyReader.Body read(int bytes) {
    byte[] text = new byte[bytes];
    Arrays.fill(text, (byte) ' ');
    InputStream in = new ByteArrayInputStream(text);
    return reader.read(() -> in, bytes, BULK, stall);
  }

  @Test
  void largeBodyDoesNotBlockSmallOnes() {
    try (BodyReader.Body _ = read(BULK);
        BodyReader.Body small = read(50_000)) {
      assertThat(small.size()).isEqualTo(50_000);
      assertThatExceptionOfType(Problem.class)
          .isThrownBy(() -> read(100_000))
          .matches(problem -> problem.kind() == Problem.Kind.UNAVAILABLE);
    }
    read(BULK).close(); // refused and closed bodies do not count
  }

  @Test
  void bodyCountsUntilItIsClosed() throws CharacterCodingException {
    BodyReader.Body large = read(BULK - 1_000);
    assertThat(large.text()).hasSize(BULK - 1_000);
    assertThatExceptionOfType(Problem.class).isThrownBy(() -> read(100_000));
    large.close();
    read(100_000).close();
  }

  @Test
  void largeBodiesMustArriveFasterThanSmallOnes() {
    HttpLimits limits =
        HttpLimits.DEFAULT.withTimeouts(
            Duration.ofMinutes(1), Duration.ofSeconds(30), Duration.ofSeconds(1));
    assertThat(limits.timeouts().request(0)).isEqualTo(Duration.ofSeconds(30));
    assertThat(limits.timeouts().request(16 << 10)).isEqualTo(Duration.ofSeconds(32));
    assertThat(limits.timeouts().request(1 << 20)).isEqualTo(Duration.ofSeconds(30 + 128));
    assertThat(limits.timeouts().request(64 << 20))
        .isEqualTo(Duration.ofSeconds(30 + 128 + 63 * 4));
  }
}
