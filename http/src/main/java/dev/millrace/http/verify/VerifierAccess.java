package dev.millrace.http.verify;

import dev.millrace.http.inference.InferenceAccess;
import dev.millrace.http.route.Problem;
import dev.millrace.server.infer.VerifyRequest;
import dev.millrace.server.infer.VerifyResult;
import org.jspecify.annotations.Nullable;

/** Repeats tasks with the server's models, which are loaded after it listens. Thread-safe. */
public final class VerifierAccess {
  private volatile boolean attached;
  private volatile @Nullable Verifier verifier;

  /** Repeats a finished task; an interrupt ends it. */
  @FunctionalInterface
  public interface Verifier {
    VerifyResult verify(VerifyRequest request);
  }

  /**
   * The models are loaded.
   *
   * @param loaded null: this server has none
   */
  public void attach(@Nullable Verifier loaded) {
    verifier = loaded;
    attached = true;
  }

  /**
   * @throws Problem UNAVAILABLE while models are loaded, INVALID if there are none
   */
  Verifier require() {
    Verifier present = verifier;
    if (present != null) {
      return present;
    }
    if (attached) {
      throw new Problem(
          Problem.Kind.INVALID,
          "TASK_NOT_VERIFIABLE",
          "this server runs no models; the command \"verify\" repeats tasks with a model's file");
    }
    throw InferenceAccess.beingLoaded();
  }
}
