package dev.millrace.core.task;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TraceContextTest {
  private static final String PARENT = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

  @Test
  void aValidTraceparentIsAccepted() {
    TraceContext trace = new TraceContext(PARENT, "congo=t61rcWkgMzE,rojo=00f067aa0ba902b7");
    assertThat(trace.parent()).isEqualTo(PARENT);
    assertThat(new TraceContext(PARENT, null).state()).isNull();
    assertThat(new TraceContext(PARENT, "x".repeat(512)).state()).hasSize(512);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "00",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-1",
        "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
        "00-4bf92f3577b34da6a3ce929d0e0e473-00f067aa0ba902b7-01",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-x",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01\n",
        "00-٤bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
      })
  void anInvalidTraceparentIsRefused(String text) {
    assertThat(TraceContext.isParent(text)).isFalse();
    assertThatThrownBy(() -> new TraceContext(text, null))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("traceparent must be");
  }

  @Test
  void aTracestateIsShortAndPrintable() {
    for (String odd : new String[] {"x".repeat(513), "a\nb", "é", "\0"}) {
      assertThatThrownBy(() -> new TraceContext(PARENT, odd))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageStartingWith("tracestate must be at most 512");
    }
  }
}
