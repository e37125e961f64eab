package dev.millrace.http.openai.answer;

import dev.millrace.http.route.Problem;
import dev.millrace.server.infer.direct.AnswerEnd;
import java.util.Map;

/** Why an answer ended, in OpenAI's words. */
public final class FinishReason {
  private FinishReason() {}

  /**
   * @throws Problem if the answer did not end by itself
   */
  public static String of(AnswerEnd end) {
    return switch (end.finish()) {
      case STOP -> "stop";
      case LENGTH -> "length";
      case TOOL_CALLS -> "tool_calls";
      case CANCELLED ->
          throw new Problem(
              Problem.Kind.UNAVAILABLE,
              null,
              "the server stopped this answer; try again later",
              null,
              Map.of("Retry-After", "5"));
      case FAILED ->
          throw new Problem(Problem.Kind.INTERNAL, null, "the answer failed: " + end.reason());
    };
  }
}
