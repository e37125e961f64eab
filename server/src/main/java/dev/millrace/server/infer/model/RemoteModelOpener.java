package dev.millrace.server.infer.model;

import dev.millrace.engine.Engine;
import dev.millrace.engine.api.EngineSettings;
import dev.millrace.engine.error.EngineException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/**
 * Opens a model whose layers are partly at other nodes. All methods but {@link #open} and {@link
 * #close} return at once; any thread may call them.
 */
public interface RemoteModelOpener extends AutoCloseable {

  /**
   * Loads the local part of the model and returns its engine. The engine need not be ready:
   * requests wait until it is. This waits for other nodes without limit; an interrupt ends the
   * wait. Called by one thread at a time, and again only after {@link #close} or after a failure.
   *
   * @throws EngineException if the model cannot be run here; the message says why
   */
  Engine open(EngineSettings settings);

  /** The memory that it will take here for weights and caches, as far as the file tells. */
  long bytes(Path file, EngineSettings settings);

  /** The SHA-256 of the model file, in hex; valid while it is open. */
  String sha256();

  /** Whether it could compute a token now: all layers are available. */
  boolean ready();

  /** What the model waits for, in words; empty if it is ready. */
  String waitReason();

  /**
   * Runs {@code hook} each time the model becomes ready, at once if it is. It may run on any thread
   * and must return quickly.
   */
  void onReady(Runnable hook);

  /**
   * Values by name (lower-case letters, digits and underscores), exported as {@code
   * millrace_pipe_NAME}. The name of a counter ends in {@code _total}.
   */
  Map<String, Double> metrics();

  /** The nodes and pipes of its network, as this server knows them; empty while it is in none. */
  default Optional<NodeNetwork> network() {
    return Optional.empty();
  }

  /**
   * Leaves the network, after the engine was closed or has ended by itself. The model is not ready
   * from then on. Does nothing if it is not open.
   */
  @Override
  void close();
}
