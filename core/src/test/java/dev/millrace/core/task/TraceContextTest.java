package dev.millrace.core.task;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
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
  void zerosNameNoTrace() {
    assertThat(new TraceContext(PARENT, null).isStarted()).isTrue();
    String zeros = "0".repeat(32);
    for (String parent :
        List.of(
            "00-" + zeros + "-00f067aa0ba902b7-01",
            PARENT.substring(0, 36) + "0".repeat(16) + "-01")) {
      assertThat(new TraceContext(parent, null).isStarted()).as(parent).isFalse();
    }
  }

  @Test
  void aStartedTraceIsRandomAndADerivedOneIsStable() {
    TraceContext started = TraceContext.start();
    assertThat(started.isStarted()).isTrue();
    assertThat(TraceContext.start()).isNotEqualTo(started);
    TraceContext derived = TraceContext.derivedFrom("1769850000000000_4242_7");
    assertThat(derived.isStarted()).isTrue();
    assertThat(derived).isEqualTo(TraceContext.derivedFrom("1769850000000000_4242_7"));
    assertThat(derived).isNotEqualTo(TraceContext.derivedFrom("1769850000000000_4242_8"));
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
