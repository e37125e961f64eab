package dev.millrace.http;

import dev.millrace.core.job.JobId;
import dev.millrace.core.store.JobStore;
import dev.millrace.http.inference.InferenceAccess;
import dev.millrace.http.live.ServerAccess;
import dev.millrace.http.openai.response.store.ResponseStore;
import dev.millrace.http.overview.OverviewSources;
import dev.millrace.http.verify.VerifierAccess;
import dev.millrace.server.Server;
import dev.millrace.server.infer.Inference;
import dev.millrace.server.infer.InferenceStats;
import dev.millrace.server.infer.direct.DirectInference;
import dev.millrace.server.infer.model.RemoteModelStatus;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The server behind the API and its models, which may come after the routes. It is attached once;
 * any thread may ask.
 */
final class AttachedServer {
  private final InferenceAccess direct = new InferenceAccess();
  private final VerifierAccess verifier = new VerifierAccess();
  private final Instant startTime = Instant.now();
  private volatile @Nullable Server server;
  private volatile @Nullable Supplier<InferenceStats> stats;
  private volatile @Nullable Inference models;

  /**
   * @param modelStats null if it has no models
   * @param atOnce answers requests at once; null if it has no models
   */
  void attach(
      Server running,
      @Nullable Supplier<InferenceStats> modelStats,
      @Nullable DirectInference atOnce) {
    verifier.attach(null);
    attachModels(running, modelStats, atOnce);
  }

  void attach(Server running, Inference served) {
    models = served;
    verifier.attach(served::verify);
    attachModels(running, served::stats, served.direct());
  }

  private void attachModels(
      Server running,
      @Nullable Supplier<InferenceStats> modelStats,
      @Nullable DirectInference atOnce) {
    server = running;
    direct.attach(atOnce);
    stats = modelStats;
  }

  @Nullable Server server() {
    return server;
  }

  @Nullable InferenceStats stats() {
    Supplier<InferenceStats> present = stats;
    return present == null ? null : present.get();
  }

  InferenceAccess direct() {
    return direct;
  }

  VerifierAccess verifier() {
    return verifier;
  }

  ServerAccess access() {
    return new ServerAccess(this::server, this::stats);
  }

  /**
   * @param starting what the server still does before it is ready; empty: nothing
   */
  OverviewSources overview(JobStore store, Set<String> types, Supplier<Optional<String>> starting) {
    return new OverviewSources(
        store,
        startTime,
        types,
        this::server,
        starting,
        () -> {
          Inference present = models;
          return present == null ? List.of() : present.models();
        },
        () -> {
          Inference present = models;
          return present == null ? List.of() : present.networks();
        });
  }

  /** What models with layers at other nodes wait for. */
  Map<String, String> waiting() {
    InferenceStats present = stats();
    Map<String, String> waiting = new LinkedHashMap<>();
    for (RemoteModelStatus model :
        present == null ? List.<RemoteModelStatus>of() : present.remoteModels()) {
      if (!model.ready()) {
        waiting.put("model " + model.model(), model.waitReason());
      }
    }
    return waiting;
  }

  /** Responses are only made and started with a server. */
  void startSoon(JobId job) {
    Objects.requireNonNull(server).startSoon(job, ResponseStore.TYPE);
  }
}
