package dev.millrace.server.infer.direct;

import dev.millrace.core.json.JsonObject;
import dev.millrace.engine.toolcall.OutputPart;
import java.util.List;

/**
 * The end of an answer.
 *
 * @param reason why it failed; else empty
 * @param rest what the parser held back until the end
 * @param text the whole output: thoughts, tags and calls included
 * @param seed the one it was sampled with
 * @param receipt as that of a task
 */
public record AnswerEnd(
    AnswerFinish finish,
    String reason,
    List<OutputPart> rest,
    String text,
    AnswerUsage usage,
    long seed,
    JsonObject receipt) {
  public AnswerEnd {
    rest = List.copyOf(rest);
  }
}
