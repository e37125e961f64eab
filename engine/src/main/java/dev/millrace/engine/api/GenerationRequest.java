package dev.millrace.engine.api;

import dev.millrace.engine.error.EngineException;
import dev.millrace.engine.grammar.Constraint;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What is to be generated. The arrays are not to be changed afterwards.
 *
 * @param prompt its tokens, at least one
 * @param maxTokens so many are generated at most, {@code prior} included; a full context ends it
 *     before
 * @param stops texts that end it and are not part of it
 * @param constraint what it is to keep to; null where it is free
 * @param ignoreEnd whether it goes on past end tokens
 * @param prior tokens that were generated before, of the same request: it goes on as if it had
 *     never stopped
 * @param order its place among those that wait: the lower are admitted first, equal ones as they
 *     were submitted; where pages run out, the higher give theirs up. It is 0 where none is given.
 *     Orders that grow, as those of a queue do, starve nobody; who keeps giving lower ones lets the
 *     others wait for them
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

  public GenerationRequest withConstraint(Constraint kept) {
    return new GenerationRequest(prompt, sampling, maxTokens, stops, kept, ignoreEnd, prior, order);
  }

  public GenerationRequest ignoringEnd() {
    return new GenerationRequest(
        prompt, sampling, maxTokens, stops, constraint, true, prior, order);
  }

  /** The same request, with a place of its own in the line whenever it is submitted. */
  public GenerationRequest withOrder(long place) {
    return new GenerationRequest(
        prompt, sampling, maxTokens, stops, constraint, ignoreEnd, prior, place);
  }

  /** The same request, gone on with from the tokens of its released or lost generation. */
  public GenerationRequest resumedFrom(int[] tokens) {
    return new GenerationRequest(
        prompt, sampling, maxTokens, stops, constraint, ignoreEnd, tokens, order);
  }
}
