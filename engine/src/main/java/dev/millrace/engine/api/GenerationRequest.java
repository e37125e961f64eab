package dev.millrace.engine.api;

import dev.millrace.engine.error.EngineException;
import dev.millrace.engine.grammar.Constraint;
import dev.millrace.engine.numerics.NumericsVersion;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A request to generate text. Do not change the arrays afterwards.
 *
 * @param prompt its tokens, at least one
 * @param maxTokens the most tokens to generate, {@code prior} included; a full context ends it
 *     earlier
 * @param stops texts that end the generation, at most 1024 with 16,384 characters together; they
 *     are not part of the result
 * @param constraint restricts the text; null for none
 * @param ignoreEnd whether end tokens do not end the generation
 * @param prior tokens that an earlier generation of the same request produced; this one resumes
 *     after them as if it had never stopped
 * @param order its position among requests of its kind, interactive or not. Lower orders are
 *     admitted first, equal ones as they were submitted; when pages run out, higher orders are
 *     preempted. The default is 0. Orders that only grow let no request starve; a caller that keeps
 *     submitting lower orders keeps the others waiting
 * @param interactive whether someone waits for its tokens: it is admitted before the others, which
 *     it may preempt, and its prompt is computed first. The others keep a part of the slots, so
 *     they do not starve
 * @param start when the constraint begins to hold; without a constraint it has no effect
 * @param shownTokens control tokens that appear in the text; the constraint must be compiled with
 *     none but these
 * @param stopScope where stop strings end the generation
 * @param numerics the version of the arithmetic that it was begun under; null: the newest
 */
public record GenerationRequest(
    int[] prompt,
    Sampling sampling,
    int maxTokens,
    List<String> stops,
    @Nullable Constraint constraint,
    boolean ignoreEnd,
    int[] prior,
    long order,
    boolean interactive,
    ConstraintStart start,
    Set<Integer> shownTokens,
    StopScope stopScope,
    @Nullable NumericsVersion numerics) {

  /** The most texts that may end one generation. */
  public static final int MAX_STOPS = 1024;

  /** The most characters that these may have together. */
  public static final int MAX_STOP_CHARACTERS = 16_384;

  private static final int[] NONE = {};

  public GenerationRequest {
    stops = List.copyOf(stops);
    checkStops(stops);
    shownTokens = Set.copyOf(shownTokens);
    if (prompt.length == 0) {
      throw new EngineException(
          "request: the prompt has no tokens; give at least one, such as the model's BOS");
    }
    if (maxTokens < 1) {
      throw new EngineException(
          "request: maxTokens is %d; it must be at least 1".formatted(maxTokens));
    }
  }

  private static void checkStops(List<String> stops) {
    if (stops.size() > MAX_STOPS) {
      throw new EngineException(
          "request: %d stop strings; at most %d".formatted(stops.size(), MAX_STOPS));
    }
    int characters = stops.stream().mapToInt(String::length).sum();
    if (characters > MAX_STOP_CHARACTERS) {
      throw new EngineException(
          "request: the stop strings have %d characters together; at most %d"
              .formatted(characters, MAX_STOP_CHARACTERS));
    }
  }

  public static GenerationRequest of(int[] prompt, Sampling sampling, int maxTokens) {
    return new GenerationRequest(
        prompt,
        sampling,
        maxTokens,
        List.of(),
        null,
        false,
        NONE,
        0,
        false,
        ConstraintStart.AT_ONCE,
        Set.of(),
        StopScope.OUTPUT,
        null);
  }

  public GenerationRequest withStops(List<String> texts) {
    return new GenerationRequest(
        prompt,
        sampling,
        maxTokens,
        texts,
        constraint,
        ignoreEnd,
        prior,
        order,
        interactive,
        start,
        shownTokens,
        stopScope,
        numerics);
  }

  /** The same request whose stop strings count there only. */
  public GenerationRequest withStopScope(StopScope scope) {
    return new GenerationRequest(
        prompt,
        sampling,
        maxTokens,
        stops,
        constraint,
        ignoreEnd,
        prior,
        order,
        interactive,
        start,
        shownTokens,
        scope,
        numerics);
  }

  public GenerationRequest withConstraint(Constraint rule) {
    return new GenerationRequest(
        prompt,
        sampling,
        maxTokens,
        stops,
        rule,
        ignoreEnd,
        prior,
        order,
        interactive,
        start,
        shownTokens,
        stopScope,
        numerics);
  }

  /** The same request whose constraint begins then. */
  public GenerationRequest withConstraintStart(ConstraintStart when) {
    return new GenerationRequest(
        prompt,
        sampling,
        maxTokens,
        stops,
        constraint,
        ignoreEnd,
        prior,
        order,
        interactive,
        when,
        shownTokens,
        stopScope,
        numerics);
  }

  public GenerationRequest ignoringEnd() {
    return new GenerationRequest(
        prompt,
        sampling,
        maxTokens,
        stops,
        constraint,
        true,
        prior,
        order,
        interactive,
        start,
        shownTokens,
        stopScope,
        numerics);
  }

  /** The same request with this position in the queue. */
  public GenerationRequest withOrder(long position) {
    return new GenerationRequest(
        prompt,
        sampling,
        maxTokens,
        stops,
        constraint,
        ignoreEnd,
        prior,
        position,
        interactive,
        start,
        shownTokens,
        stopScope,
        numerics);
  }

  /** The same request, interactive or not. */
  public GenerationRequest withInteractive(boolean someoneWaits) {
    return new GenerationRequest(
        prompt,
        sampling,
        maxTokens,
        stops,
        constraint,
        ignoreEnd,
        prior,
        order,
        someoneWaits,
        start,
        shownTokens,
        stopScope,
        numerics);
  }

  /** The same request with these control tokens in its text. */
  public GenerationRequest withShownTokens(Set<Integer> controlTokens) {
    return new GenerationRequest(
        prompt,
        sampling,
        maxTokens,
        stops,
        constraint,
        ignoreEnd,
        prior,
        order,
        interactive,
        start,
        controlTokens,
        stopScope,
        numerics);
  }

  /** The same request, begun under that version of the arithmetic. */
  public GenerationRequest withNumerics(NumericsVersion version) {
    return new GenerationRequest(
        prompt,
        sampling,
        maxTokens,
        stops,
        constraint,
        ignoreEnd,
        prior,
        order,
        interactive,
        start,
        shownTokens,
        stopScope,
        version);
  }

  /** The same request, resumed from the tokens of its released or lost generation. */
  public GenerationRequest resumedFrom(int[] tokens) {
    return new GenerationRequest(
        prompt,
        sampling,
        maxTokens,
        stops,
        constraint,
        ignoreEnd,
        tokens,
        order,
        interactive,
        start,
        shownTokens,
        stopScope,
        numerics);
  }
}
