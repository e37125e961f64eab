package dev.millrace.http.inference;

import dev.millrace.http.route.Problem;
import dev.millrace.server.infer.direct.DirectInference;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The models of the server, which are loaded after it listens. Thread-safe. */
public final class InferenceAccess {
  private volatile boolean attached;
  private volatile @Nullable DirectInference inference;

  /**
   * The models are loaded.
   *
   * @param loaded null: this server has none
   */
  public void attach(@Nullable DirectInference loaded) {
    inference = loaded;
    attached = true;
  }

  /**
   * @throws Problem UNAVAILABLE while models are loaded, NOT_FOUND if there are none
   */
  public DirectInference require() {
    DirectInference present = inference;
    if (present != null) {
      return present;
    }
    if (attached) {
      throw new Problem(
          Problem.Kind.NOT_FOUND,
          "model_not_found",
          "this server runs no models: start it with --model, or send jobs to its workers");
    }
    throw beingLoaded();
  }

  /** That there are no models yet. */
  public static Problem beingLoaded() {
    return new Problem(
        Problem.Kind.UNAVAILABLE,
        null,
        "models are being loaded; try again later",
        null,
        Map.of("Retry-After", "2"));
  }

  /** The models, if there are any. */
  public @Nullable DirectInference find() {
    return attached ? inference : require();
  }
}
