package dev.millrace.server.infer.model;

import dev.millrace.engine.Engine;
import dev.millrace.engine.api.EngineSettings;
import dev.millrace.engine.error.EngineException;
import dev.millrace.engine.internal.gguf.Gguf;
import java.util.Map;

/**
 * Another way to bring a model to work than to load the whole file here: its layers may be with
 * others. All methods but {@link #open} and {@link #close} return at once; all may be called by any
 * thread.
 */
public interface RemoteModelOpener extends AutoCloseable {

  /**
   * Loads what is here of the model and gives the engine, which need not be ready yet: what is
   * submitted before waits. It may take as long as others take to answer; an interrupt ends that.
   * Called once at a time; again only after {@link #close}, or when it failed.
   *
   * @throws EngineException when the file cannot be run here; the message says why
   */
  Engine open(EngineSettings settings);

  /** What it will take here, weights and caches, as well as the file says before. */
  long bytes(Gguf file, EngineSettings settings);

  /** The SHA-256 of the model's file, in hex; asked while it is open. */
  String sha256();

  /** Whether it could compute a token now: all of its layers are somewhere. */
  boolean ready();

  /** What it waits for, in words; empty when it is ready. */
  String waitReason();

  /**
   * Runs {@code hook} each time that it turns ready, at once if it is; on any thread, and soon
   * done.
   */
  void onReady(Runnable hook);

  /**
   * Figures by name: small letters, digits and underscores. Metrics show each as {@code
   * millrace_pipe_NAME}. What only grows has a name that ends in {@code _total}.
   */
  Map<String, Double> metrics();

  /**
   * Leaves the others, after the engine was closed or has ended by itself: it is not ready from
   * then on. Does nothing where it is not open.
   */
  @Override
  void close();
}
