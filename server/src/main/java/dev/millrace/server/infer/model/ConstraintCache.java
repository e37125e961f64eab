package dev.millrace.server.infer.model;

import dev.millrace.engine.error.GrammarException;
import dev.millrace.engine.grammar.Constraint;
import dev.millrace.engine.grammar.Grammar;
import dev.millrace.engine.internal.budget.CompileBudget;
import dev.millrace.server.infer.parameters.OutputGrammar;
import dev.millrace.server.infer.parameters.TaskRefused;
import dev.millrace.server.internal.compile.CompilePool;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.function.BiFunction;

/**
 * The recently used constraints, compiled for one model: compiling is slow, and the tasks of a stage
 * share their constraint. Each is compiled once, at the side; different ones are compiled in
 * parallel. A compilation that nobody waits for any more is cancelled. Thread-safe.
 */
public final class ConstraintCache {
  /** About the memory that constraints may take that are kept for later. */
  static final long MAX_BYTES = 256L << 20;

  /** For a key, and for a refusal, which is kept as well. */
  private static final int ENTRY_BYTES = 2048;

  private final BiFunction<Grammar, Set<Integer>, Constraint> compiler;
  private final long maxBytes;
  private final Map<String, Compilation> compiled = // guarded by itself, last used last
      new LinkedHashMap<>(16, 0.75f, true);

  /** One that runs, or that has ended with a constraint or a refusal. */
  private static final class Compilation {
    final Future<Constraint> result;
    int waiting; // guarded by the map

    Compilation(Future<Constraint> result) {
      this.result = result;
    }

    long bytes() {
      return ENTRY_BYTES
          + (result.state() == Future.State.SUCCESS ? result.resultNow().bytes() : 0);
    }
  }

  public ConstraintCache(BiFunction<Grammar, Set<Integer>, Constraint> compiler) {
    this(compiler, MAX_BYTES);
  }

  ConstraintCache(BiFunction<Grammar, Set<Integer>, Constraint> compiler, long maxBytes) {
    this.compiler = compiler;
    this.maxBytes = maxBytes;
  }

  /**
   * @throws TaskRefused if the constraint cannot be compiled; the message names the reason
   */
  public Constraint compile(OutputGrammar grammar) throws InterruptedException {
    String key = grammar.key();
    Compilation compilation;
    synchronized (compiled) {
      compilation = compiled.computeIfAbsent(key, _ -> new Compilation(start(grammar)));
      compilation.waiting++;
    }
    try {
      return compilation.result.get();
    } catch (ExecutionException e) {
      Throwable cause = e.getCause() == null ? e : e.getCause();
      if (cause instanceof TaskRefused refusal) {
        throw refusal.again();
      }
      synchronized (compiled) {
        compiled.remove(key, compilation); // a later attempt may succeed
      }
      throw new IllegalStateException(
          "the output constraint could not be compiled: " + cause, cause);
    } finally {
      leave(key, compilation);
    }
  }

  private void leave(String key, Compilation compilation) {
    synchronized (compiled) {
      compilation.waiting--;
      if (compilation.waiting == 0 && !compilation.result.isDone()) {
        compilation.result.cancel(true);
        compiled.remove(key, compilation);
      }
      evict();
    }
  }

  /** Constraints grow with use, so all are measured again. One that a task uses lives on with it. */
  private void evict() {
    long bytes = compiled.values().stream().mapToLong(Compilation::bytes).sum();
    Iterator<Compilation> eldest = compiled.values().iterator();
    while (bytes > maxBytes && eldest.hasNext()) {
      Compilation next = eldest.next();
      if (next.waiting == 0) {
        bytes -= next.bytes();
        eldest.remove();
      }
    }
  }

  private Future<Constraint> start(OutputGrammar grammar) {
    return CompilePool.submit(
        new CompileBudget(),
        () -> {
          try {
            return compiler.apply(grammar.grammar(), grammar.shownTokens());
          } catch (GrammarException e) {
            throw grammar.refusal(e);
          }
        });
  }

  /** How many are kept. */
  int size() {
    synchronized (compiled) {
      return compiled.size();
    }
  }
}
