package dev.millrace.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.cli.command.Shell;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class DemoGatePauseTest {
  private static final Duration LONG = Duration.ofSeconds(3);
  private final List<Duration> passed = new ArrayList<>();

  /** A keyboard on which Enter is pressed as soon as the demo waits for it. */
  static InputStream pressed() {
    return new ByteArrayInputStream(new byte[] {'\n'}) {
      private boolean asked;

      @Override
      public synchronized int available() {
        boolean before = asked;
        asked = true;
        return before ? super.available() : 0;
      }
    };
  }

  private static Shell shell(InputStream in, boolean terminal) {
    PrintStream nowhere = new PrintStream(OutputStream.nullOutputStream());
    return new Shell(in, nowhere, nowhere, Map.of(), Path.of(""), descriptor -> terminal);
  }

  private boolean pass(InputStream in, boolean terminal) throws Exception {
    return new DemoGatePause(LONG).await(shell(in, terminal), passed::add);
  }

  private Duration waited() {
    return passed.stream().reduce(Duration.ZERO, Duration::plus);
  }

  @Test
  void aKeyEndsIt() throws Exception {
    assertThat(pass(pressed(), true)).isTrue();
    assertThat(waited()).isLessThan(LONG);
  }

  @Test
  void anEarlierKeyIsIgnored() throws Exception {
    assertThat(pass(new ByteArrayInputStream(new byte[] {'\n'}), true)).isFalse();
    assertThat(waited()).isEqualTo(LONG);
  }

  @Test
  void withoutATerminalNoKeyIsRead() throws Exception {
    InputStream deadly =
        new InputStream() {
          @Override
          public int read() {
            throw new AssertionError("read");
          }

          @Override
          public int available() {
            throw new AssertionError("asked");
          }
        };
    assertThat(pass(deadly, false)).isFalse();
    assertThat(waited()).isEqualTo(LONG);
  }

  @Test
  void aClosedTerminalDoesNotBlock() throws Exception {
    assertThat(pass(InputStream.nullInputStream(), true)).isFalse();
    assertThat(waited()).isEqualTo(LONG);
  }

  @Test
  void aStopRequestEndsIt() {
    DemoStopRequest stop = new DemoStopRequest();
    stop.signal(1);
    assertThatThrownBy(
            () ->
                new DemoGatePause(Duration.ZERO)
                    .await(shell(InputStream.nullInputStream(), false), stop::sleepUnlessStopped))
        .isInstanceOf(DemoStopRequest.Stopped.class);
  }
}
