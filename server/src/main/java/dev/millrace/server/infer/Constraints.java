package dev.millrace.server.infer;

import dev.millrace.engine.grammar.Constraint;
import dev.millrace.engine.grammar.Grammar;
import dev.millrace.engine.grammar.GrammarException;
import java.util.LinkedHashMap;
import java.util.SequencedMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.function.Function;

/**
 * The rules of late, compiled for one model: compiling takes long, and the tasks of a stage share
 * their rule. Each is compiled once, different ones at the same time. Thread-safe.
 */
final class Constraints {
  private static final int KEPT = 32;

  private final Function<Grammar, Constraint> compiler;
  private final SequencedMap<Rule, FutureTask<Constraint>>
      compiled = // guarded by itself, last used last
      new LinkedHashMap<>(16, 0.75f, true);

  Constraints(Function<Grammar, Constraint> compiler) {
    this.compiler = compiler;
  }

  /**
   * @throws Refusal naming what cannot be honoured
   */
  Constraint of(Rule rule) throws InterruptedException {
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
      if (cause instanceof Refusal refusal) {
        throw new Refusal(refusal.getMessage(), refusal);
      }
      synchronized (compiled) {
        compiled.remove(rule, task); // another time it may go well
      }
      throw new IllegalStateException("the output's rule could not be compiled: " + cause, cause);
    }
  }

  private FutureTask<Constraint> compiling(Rule rule) {
    return new FutureTask<>(
        () -> {
          try {
            return compiler.apply(rule.grammar());
          } catch (GrammarException e) {
            throw new Refusal(rule.name() + ": " + e.getMessage(), e);
          }
        });
  }
}
