package dev.millrace.engine.chat;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.engine.chat.ReasoningSplitter.Parts;
import dev.millrace.engine.chat.ReasoningSplitter.Tags;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ReasoningSplitterTest {
  @Test
  void reasoningAndAnswerAreSeparated() {
    assertThat(split(false, "<think>\nLet me see.\n</think>\n\n42 "))
        .isEqualTo(new Parts("Let me see.", "42 "));
  }

  @Test
  void anOutputWithoutReasoningIsUnchanged() {
    assertThat(split(false, "  \n42 <think>no</think> "))
        .isEqualTo(new Parts("", "  \n42 <think>no</think> "));
    assertThat(split(false, "<thin ice")).isEqualTo(new Parts("", "<thin ice"));
    assertThat(split(false, " <thi")).isEqualTo(new Parts("", " <thi"));
    assertThat(split(false, "")).isEqualTo(new Parts("", ""));
  }

  @Test
  void reasoningThatThePromptOpenedHasNoOpeningTag() {
    assertThat(split(true, "Hm.\n</think>\nYes")).isEqualTo(new Parts("Hm.", "Yes"));
    assertThat(split(true, "</think>Yes")).isEqualTo(new Parts("", "Yes"));
    assertThat(
            ReasoningSplitter.afterPrompt("<|im_start|>assistant\n<think>\n", Tags.THINK)
                .isThinking())
        .isTrue();
    assertThat(
            ReasoningSplitter.afterPrompt(
                    "<|im_start|>assistant\n<think>\n\n</think>\n\n", Tags.THINK)
                .isThinking())
        .isFalse();
  }

  @Test
  void reasoningThatIsNeverClosedIsAllReasoning() {
    assertThat(split(false, "<think>On and on </thi")).isEqualTo(new Parts("On and on </thi", ""));
    assertThat(split(true, "  On ")).isEqualTo(new Parts("On", ""));
  }

  @Test
  void textSimilarToTheClosingTagIsReasoning() {
    assertThat(split(false, "<think>a </b> <</think>c")).isEqualTo(new Parts("a </b> <", "c"));
    assertThat(split(false, "<think>a</think>b</think>c")).isEqualTo(new Parts("a", "b</think>c"));
  }

  @Test
  void textIsGivenOutAsSoonAsItIsClear() {
    ReasoningSplitter thoughts = new ReasoningSplitter(Tags.THINK, false);
    assertThat(thoughts.feed("<th")).isEqualTo(new Parts("", ""));
    assertThat(thoughts.feed("ink>\nFirst ")).isEqualTo(new Parts("First", ""));
    assertThat(thoughts.feed("second <")).isEqualTo(new Parts(" second", ""));
    assertThat(thoughts.feed("b")).isEqualTo(new Parts(" <b", ""));
    assertThat(thoughts.isThinking()).isTrue();
    assertThat(thoughts.feed(" </think>\n")).isEqualTo(new Parts("", ""));
    assertThat(thoughts.feed("\nAnswer ")).isEqualTo(new Parts("", "Answer "));
    assertThat(thoughts.feed(" on")).isEqualTo(new Parts("", " on"));
    assertThat(thoughts.isThinking()).isFalse();
  }

  @Test
  void piecesCutAnywhereGiveTheSame() {
    Random random = new Random(7);
    List<String> outputs =
        List.of(
            "<think>\n a\n\n b <think> </thin \n</think>\n\n x </think> y\n",
            "no thoughts <think>",
            " <think></think> ",
            "\n\n<thinking");
    for (int round = 0; round < 500; round++) {
      String output = outputs.get(random.nextInt(outputs.size()));
      ReasoningSplitter thoughts = new ReasoningSplitter(Tags.THINK, false);
      StringBuilder all = new StringBuilder();
      StringBuilder answer = new StringBuilder();
      for (int from = 0; from < output.length(); ) {
        int to = Math.min(output.length(), from + 1 + random.nextInt(5));
        collect(thoughts.feed(output.substring(from, to)), all, answer);
        from = to;
      }
      collect(thoughts.end(), all, answer);
      assertThat(new Parts(all.toString(), answer.toString()))
          .as("seed 7, round %d", round)
          .isEqualTo(split(false, output));
    }
  }

  @Test
  void aTemplateNamesItsReasoningTags() {
    assertThat(Tags.usedBy("{{ '<think>' }}")).isEqualTo(Tags.THINK);
    assertThat(Tags.usedBy("{{ '[THINK]' }}").close()).isEqualTo("[/THINK]");
    assertThat(Tags.usedBy("nothing")).isEqualTo(Tags.THINK);
    Tags channels = Tags.usedBy("'<|channel|>analysis<|message|>'");
    ReasoningSplitter thoughts = new ReasoningSplitter(channels, false);
    assertThat(
            thoughts.feed(
                "<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>final<|message|>Yes"))
        .isEqualTo(new Parts("Hm.", "Yes"));
  }

  private static Parts split(boolean opened, String output) {
    ReasoningSplitter thoughts = new ReasoningSplitter(Tags.THINK, opened);
    StringBuilder all = new StringBuilder();
    StringBuilder answer = new StringBuilder();
    collect(thoughts.feed(output), all, answer);
    collect(thoughts.end(), all, answer);
    return new Parts(all.toString(), answer.toString());
  }

  private static void collect(Parts parts, StringBuilder thoughts, StringBuilder answer) {
    thoughts.append(parts.reasoning());
    answer.append(parts.answer());
  }
}
