package dev.millrace.engine.internal.sample;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.engine.api.StopScope;
import dev.millrace.engine.api.ThoughtTags;
import java.util.List;
import org.junit.jupiter.api.Test;

final class AnswerStopsTest {
  private static final StopScope MAY_THINK =
      new StopScope(new ThoughtTags("<think>", "</think>", false), List.of("<call>"));
  private static final StopScope THINKS =
      new StopScope(new ThoughtTags("<think>", "</think>", true), List.of());

  /** What is shown of the text, cut anywhere, and the stop string if one ended it. */
  private static String shown(StopScope scope, boolean constrained, String text, String... stops) {
    String first = null;
    for (int cut = 0; cut <= text.length(); cut++) {
      AnswerStops matcher = new AnswerStops(List.of(stops), scope, () -> constrained);
      String all = matcher.push(text.substring(0, cut)) + matcher.push(text.substring(cut));
      all += matcher.flush() + (matcher.isStopped() ? " [" + matcher.match() + "]" : "");
      first = first == null ? all : first;
      assertThat(all).as("cut at %d", cut).isEqualTo(first);
    }
    return String.valueOf(first);
  }

  @Test
  void thoughtsAndTheWhiteSpaceBehindThemAreNotSearched() {
    assertThat(shown(THINKS, false, "a\nb</think>\n\nc\nd", "\n"))
        .isEqualTo("a\nb</think>\n\nc [\n]");
    assertThat(shown(MAY_THINK, false, "\n<think>a</think>b a", "a", "\n"))
        .isEqualTo("\n<think>a</think>b  [a]");
    assertThat(shown(THINKS, false, "never closed, a", "a")).isEqualTo("never closed, a");
    assertThat(shown(THINKS, false, "<</think></think>", "</think>"))
        .isEqualTo("<</think> [</think>]");
  }

  @Test
  void anOutputWithoutThoughtsIsSearchedFromItsStart() {
    assertThat(shown(MAY_THINK, false, "\n<thin air>", "\n")).isEqualTo(" [\n]");
    assertThat(shown(MAY_THINK, false, " <thin air>", "thin")).isEqualTo(" < [thin]");
    assertThat(shown(MAY_THINK, false, " <thi", "hi")).isEqualTo(" <t [hi]");
    assertThat(shown(MAY_THINK, false, " <thi", "no")).isEqualTo(" <thi");
  }

  @Test
  void nothingIsSearchedFromACallOnThatTheConstraintCovers() {
    assertThat(shown(MAY_THINK, true, "so <call>x stop", "stop", "x")).isEqualTo("so <call>x stop");
    assertThat(shown(MAY_THINK, false, "so <call>x stop", "stop")).isEqualTo("so <call>x  [stop]");
    assertThat(shown(MAY_THINK, true, "stop <call>", "stop")).isEqualTo(" [stop]");
    assertThat(shown(MAY_THINK, true, "so <call>x", "l>x")).isEqualTo("so <call>x");
  }

  @Test
  void withoutAScopeTheWholeOutputIsSearched() {
    assertThat(shown(StopScope.OUTPUT, true, "<think>a", "a")).isEqualTo("<think> [a]");
    assertThat(shown(MAY_THINK, true, "<think>a")).isEqualTo("<think>a");
  }
}
