package dev.millrace.server.infer.direct;

import dev.millrace.engine.toolcall.OutputPart;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What happens while an answer is generated. */
public sealed interface AnswerEvent {
  /** So many tokens of the prompt are computed. */
  record PromptProgress(int done, int total) implements AnswerEvent {}

  /**
   * A token was chosen.
   *
   * @param text what became certain with it: whole characters; often empty
   * @param parts what the text adds to thoughts, answer and calls; often empty
   * @param logprobs null unless the request asked for them
   */
  record TokenChosen(int id, String text, List<OutputPart> parts, @Nullable TokenLogprobs logprobs)
      implements AnswerEvent {
    public TokenChosen {
      parts = List.copyOf(parts);
    }
  }

  /** The last event. */
  record Ended(AnswerEnd end) implements AnswerEvent {}
}
