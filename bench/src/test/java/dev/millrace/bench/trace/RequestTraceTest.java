package dev.millrace.bench.trace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RequestTraceTest {
  @TempDir Path directory;

  private Path trace(String rows) throws IOException {
    return Files.writeString(
        directory.resolve("trace.csv"), "TIMESTAMP,ContextTokens,GeneratedTokens\r\n" + rows);
  }

  @Test
  void timesCountFromTheFirstRow() throws IOException {
    RequestTrace trace =
        RequestTrace.read(
            trace("2023-11-16 23:59:59.7500000,374,44\r\n2023-11-17 00:00:01.2500000,396,109"));

    assertThat(trace.arrivals())
        .containsExactly(
            new RequestTrace.Arrival(Duration.ZERO, 374, 44),
            new RequestTrace.Arrival(Duration.ofMillis(1500), 396, 109));
  }

  @Test
  void aMalformedRowIsNamedByItsLine() throws IOException {
    Path file = trace("2023-11-16 18:15:46.6805900,374,44\n2023-11-16 18:15:47,x,1\n");

    assertThatThrownBy(() -> RequestTrace.read(file))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("trace.csv:3")
        .hasMessageContaining("18:15:47,x,1");
  }

  @Test
  void scaledRequestsFitAndKeepTheirProportions() throws IOException {
    StringBuilder rows = new StringBuilder();
    for (int i = 0; i < 99; i++) {
      rows.append("2023-11-16 18:15:%02d.5,800,200%n".formatted(i % 60));
    }
    RequestTrace trace =
        RequestTrace.read(trace(rows + "2023-11-16 18:16:00.5,9000,3000\n")).scaled(100);

    assertThat(trace.arrivals().getFirst())
        .isEqualTo(new RequestTrace.Arrival(Duration.ZERO, 80, 20));
    assertThat(trace.arrivals().getLast().total()).isEqualTo(100);
  }
}
