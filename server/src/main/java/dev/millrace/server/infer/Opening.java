package dev.millrace.server.infer;

import dev.millrace.engine.Engine;
import dev.millrace.engine.EngineException;
import dev.millrace.engine.EngineSettings;
import java.util.Map;

/**
 * Another way to bring a model to work than to load the whole file here: its layers may be with
 * others. All methods but {@link #open} return at once and may be called by any thread.
 */
public interface Opening {

  /**
   * Loads what is here of the model and gives the engine, which need not be ready yet: what is
   * submitted before waits. Called once at a time; again only when the last engine is closed.
   *
   * @throws EngineException when the file cannot be run here; the message says why
   */
  Engine open(EngineSettings settings);

  /** What it will take here, weights and caches, as well as that is known before. */
  long bytes(EngineSettings settings);

  /** Whether it could compute a token now: all of its layers are somewhere. */
  boolean ready();

  /** What it waits for, in words; empty when it is ready. */
  String waiting();

  /**
   * Runs {@code hook} each time that it turns ready, at once if it is; on any thread, and soon
   * done.
   */
  void onReady(Runnable hook);

  /**
   * Figures of the moment, by name: small letters, digits and underscores. Metrics show each as
   * {@code millrace_pipe_NAME}.
   */
  Map<String, Double> gauges();
}
