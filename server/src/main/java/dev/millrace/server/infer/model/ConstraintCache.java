package dev.millrace.server.infer.model;

import dev.millrace.engine.error.GrammarException;
import dev.millrace.engine.grammar.Constraint;
import dev.millrace.engine.grammar.Grammar;
import dev.millrace.server.infer.parameters.OutputGrammar;
import dev.millrace.server.infer.parameters.TaskRefused;
import java.util.LinkedHashMap;
import java.util.SequencedMap;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.function.BiFunction;

/**
 * The recently used constraints, compiled for one model: compiling is slow, and the tasks of a
 * stage share their constraint. Each is compiled once; different ones are compiled in parallel.
 * Thread-safe.
 */
public final class ConstraintCache {
  private static final int CAPACITY = 32;

  private final BiFunction<Grammar, Set<Integer>, Constraint> compiler;
  private final SequencedMap<OutputGrammar, FutureTask<Constraint>>
      compiled = // guarded by itself, last used last
      new LinkedHashMap<>(16, 0.75f, true);

  public ConstraintCache(BiFunction<Grammar, Set<Integer>, Constraint> compiler) {
    this.compiler = compiler;
  }

  /**
   * @throws TaskRefused if the constraint cannot be compiled; the message names the reason
   */
  public Constraint compile(OutputGrammar grammar) throws InterruptedException {
    FutureTask<Constraint> task;
    synchronized (compiled) {
      task = compiled.computeIfAbsent(grammar, this::compilation);
      if (compiled.size() > CAPACITY) {
        compiled.pollFirstEntry();
      }
    }
    task.run(); // runs only once, for the first caller
    try {
      return task.get();
    } catch (ExecutionException e) {
      Throwable cause = e.getCause() == null ? e : e.getCause();
      if (cause instanceof TaskRefused refusal) {
        throw refusal.again();
      }
      synchronized (compiled) {
        compiled.remove(grammar, task); // a later attempt may succeed
      }
      throw new IllegalStateException(
          "the output constraint could not be compiled: " + cause, cause);
    }
  }

  private FutureTask<Constraint> compilation(OutputGrammar grammar) {
    return new FutureTask<>(
        () -> {
          try {
            return compiler.apply(grammar.grammar(), grammar.shownTokens());
          } catch (GrammarException e) {
            throw grammar.refusal(e);
          }
        });
  }
}
