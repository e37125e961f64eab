package dev.millrace.engine.api;

import dev.millrace.engine.error.EngineException;
import dev.millrace.engine.grammar.Constraint;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A request to generate text. Do not change the arrays afterwards.
 *
 * @param prompt its tokens, at least one
 * @param maxTokens the most tokens to generate, {@code prior} included; a full context ends it
 *     earlier
 * @param stops texts that end the generation; they are not part of the result
 * @param constraint restricts the text; null for none
 * @param ignoreEnd whether end tokens do not end the generation
 * @param prior tokens that an earlier generation of the same request produced; this one resumes
 *     after them as if it had never stopped
 * @param order its position in the queue. Lower orders are admitted first, equal ones as they were
 *     submitted; when pages run out, higher orders are preempted. The default is 0. Orders that
 *     only grow let no request starve; a caller that keeps submitting lower orders keeps the others
 *     waiting
 */
public record GenerationRequest(
    int[] prompt,
    Sampling sampling,
    int maxTokens,
    List<String> stops,
    @Nullable Constraint constraint,
    boolean ignoreEnd,
    int[] prior,
    long order) {

  private static final int[] NONE = {};

  public GenerationRequest {
    stops = List.copyOf(stops);
    if (prompt.length == 0) {
      throw new EngineException(
          "request: the prompt has no tokens; give at least one, such as the model's BOS");
    }
    if (maxTokens < 1) {
      throw new EngineException(
          "request: maxTokens is %d; it must be at least 1".formatted(maxTokens));
    }
  }

  public static GenerationRequest of(int[] prompt, Sampling sampling, int maxTokens) {
    return new GenerationRequest(prompt, sampling, maxTokens, List.of(), null, false, NONE, 0);
  }

  public GenerationRequest withStops(List<String> texts) {
    return new GenerationRequest(
        prompt, sampling, maxTokens, texts, constraint, ignoreEnd, prior, order);
  }

  public GenerationRequest withConstraint(Constraint rule) {
    return new GenerationRequest(prompt, sampling, maxTokens, stops, rule, ignoreEnd, prior, order);
  }

  public GenerationRequest ignoringEnd() {
    return new GenerationRequest(
        prompt, sampling, maxTokens, stops, constraint, true, prior, order);
  }

  /** The same request with this position in the queue. */
  public GenerationRequest withOrder(long position) {
    return new GenerationRequest(
        prompt, sampling, maxTokens, stops, constraint, ignoreEnd, prior, position);
  }

  /** The same request, resumed from the tokens of its released or lost generation. */
  public GenerationRequest resumedFrom(int[] tokens) {
    return new GenerationRequest(
        prompt, sampling, maxTokens, stops, constraint, ignoreEnd, tokens, order);
  }
}
