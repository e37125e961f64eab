package dev.millrace.cli.format;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.cli.terminal.FittedText;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What a table shows of a prompt. */
class PromptExcerptTest {
  @Test
  void thePromptIsOnOneLine() {
    assertThat(PromptExcerpt.of("  a\n\tb  c ")).isEqualTo("a b c");
    assertThat(PromptExcerpt.of(null)).isEmpty();
    assertThat(PromptExcerpt.of(Map.of("width", 3L))).isEqualTo("{\"width\":3}");
    assertThat(PromptExcerpt.of("x".repeat(1_000_000))).hasSize(1_000);
  }

  @Test
  void aConversationIsShownByItsLastQuestion() {
    List<Map<String, String>> messages =
        List.of(
            Map.of("role", "system", "content", "Be brief."),
            Map.of("role", "user", "content", "Why?"),
            Map.of("role", "assistant", "content", "So."));
    assertThat(PromptExcerpt.of(messages)).isEqualTo("Why?");
    assertThat(PromptExcerpt.of(Map.of("messages", messages))).isEqualTo("Why?");
    assertThat(PromptExcerpt.of(Map.of("prompt", "Who?"))).isEqualTo("Who?");
  }

  @Test
  void textIsCutToItsColumns() {
    assertThat(FittedText.line("abcdef", 6)).isEqualTo("abcdef");
    assertThat(FittedText.line("abcdef", 5)).isEqualTo("abcd…");
    assertThat(FittedText.line("\u6c34\u8eca\u6c34", 5)).isEqualTo("\u6c34\u8eca…");
    assertThat(FittedText.line("e\u0301e\u0301", 2)).isEqualTo("e\u0301e\u0301");
    assertThat(FittedText.width("\ud83d\udca7")).isEqualTo(2);
  }
}
