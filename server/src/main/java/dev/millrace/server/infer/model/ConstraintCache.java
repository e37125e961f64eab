package dev.millrace.server.infer.model;

import dev.millrace.engine.error.GrammarException;
import dev.millrace.engine.grammar.Constraint;
import dev.millrace.engine.grammar.Grammar;
import dev.millrace.server.infer.parameters.OutputConstraint;
import dev.millrace.server.infer.parameters.TaskRefused;
import java.util.LinkedHashMap;
import java.util.SequencedMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.function.Function;

/**
 * The rules of late, compiled for one model: compiling takes long, and the tasks of a stage share
 * their rule. Each is compiled once, different ones at the same time. Thread-safe.
 */
public final class ConstraintCache {
  private static final int KEPT = 32;

  private final Function<Grammar, Constraint> compiler;
  private final SequencedMap<OutputConstraint, FutureTask<Constraint>>
      compiled = // guarded by itself, last used last
      new LinkedHashMap<>(16, 0.75f, true);

  public ConstraintCache(Function<Grammar, Constraint> compiler) {
    this.compiler = compiler;
  }

  /**
   * @throws TaskRefused naming what cannot be honoured
   */
  public Constraint compile(OutputConstraint rule) throws InterruptedException {
    FutureTask<Constraint> task;
    synchronized (compiled) {
      task = compiled.computeIfAbsent(rule, this::compiling);
      if (compiled.size() > KEPT) {
        compiled.pollFirstEntry();
      }
    }
    task.run(); // by the first; does nothing for others
    try {
      return task.get();
    } catch (ExecutionException e) {
      Throwable cause = e.getCause() == null ? e : e.getCause();
      if (cause instanceof TaskRefused refusal) {
        throw new TaskRefused(refusal.getMessage(), refusal);
      }
      synchronized (compiled) {
        compiled.remove(rule, task); // another time it may go well
      }
      throw new IllegalStateException("the output's rule could not be compiled: " + cause, cause);
    }
  }

  private FutureTask<Constraint> compiling(OutputConstraint rule) {
    return new FutureTask<>(
        () -> {
          try {
            return compiler.apply(rule.grammar());
          } catch (GrammarException e) {
            throw new TaskRefused(rule.name() + ": " + e.getMessage(), e);
          }
        });
  }
}
