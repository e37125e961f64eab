package dev.millrace.engine.internal.budget;

import dev.millrace.engine.error.GrammarLimitException;
import java.util.concurrent.CancellationException;
import java.util.function.Supplier;

/**
 * What is left of the {@link CompileLimits} of one request. A few kilobytes of schema can ask for
 * more work than there is time: everything that compiles is charged here, before it allocates. Work
 * is counted, not timed, so that the same input gets the same answer on every machine.
 *
 * <p>One budget covers all that {@link #call} runs; without one, each part of the work has its own.
 * Work that is charged ends soon after its thread is interrupted. For one thread at a time.
 */
public final class CompileBudget {
  private static final ScopedValue<CompileBudget> CURRENT = ScopedValue.newInstance();
  private static final int STEPS_PER_CHECK = 4096;

  private final CompileLimits limits;
  private long steps;
  private long nextCheck = STEPS_PER_CHECK;
  private long states;
  private long bytes;

  public CompileBudget() {
    this(CompileLimits.DEFAULT);
  }

  public CompileBudget(CompileLimits limits) {
    this.limits = limits;
  }

  /** The budget of the work that this thread does; a new one if it has none. */
  public static CompileBudget current() {
    return CURRENT.isBound() ? CURRENT.get() : new CompileBudget();
  }

  /** Runs work that is charged to this budget. */
  public <T> T call(Supplier<T> work) {
    return ScopedValue.where(CURRENT, this).call(work::get);
  }

  /**
   * Charges work before it is done.
   *
   * @throws GrammarLimitException if that is too much
   * @throws CancellationException if the thread was interrupted; it stays interrupted
   */
  public void chargeSteps(long count) {
    if (count < 0 || count > limits.steps() - steps) {
      throw new GrammarLimitException(
          "it takes more than %d steps to compile; use fewer alternatives, references and counts"
              .formatted(limits.steps()));
    }
    steps += count;
    if (steps >= nextCheck) {
      nextCheck = steps + STEPS_PER_CHECK;
      if (Thread.currentThread().isInterrupted()) {
        throw new CancellationException("interrupted while compiling");
      }
    }
  }

  /** Charges memory before it is allocated, and a step for each 64 bytes of it. */
  public void chargeBytes(long count) {
    if (count < 0 || count > limits.bytes() - bytes) {
      throw new GrammarLimitException(
          "it takes more than %d bytes to compile; use fewer alternatives and smaller counts"
              .formatted(limits.bytes()));
    }
    bytes += count;
    chargeSteps(1 + count / 64);
  }

  /**
   * Charges a state of an automaton.
   *
   * @param rule whose state it is, for the message
   */
  public void chargeState(String rule) {
    if (states >= limits.states()) {
      throw new GrammarLimitException(
          "rule %s is too large: the grammar would need more than %d states; use smaller repetitions or split it"
              .formatted(rule, limits.states()));
    }
    states++;
  }

  public CompileLimits limits() {
    return limits;
  }

  /** The steps that were charged so far. */
  public long steps() {
    return steps;
  }

  /** The bytes that were charged so far. */
  public long bytes() {
    return bytes;
  }

  /** The states that were charged so far. */
  public long states() {
    return states;
  }
}
