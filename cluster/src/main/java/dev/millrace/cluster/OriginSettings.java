package dev.millrace.cluster;

import dev.millrace.engine.api.EngineSettings;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Settings of an origin; validated, immutable.
 *
 * @param file the model's file; the origin loads the end and the first layers
 * @param localLayers how many first layers the origin computes; the input of layer 0 would reveal
 *     the text
 * @param audit the share of sequences that are audited, 0 to 1
 * @param stepTimeout how long a step may take before its nodes are asked where it is
 * @param maxPipes how many pipes may run at once
 * @param cache directory for hashes of files; null: hashes are computed at each start
 */
public record OriginSettings(
    NetworkSettings network,
    Path file,
    EngineSettings engine,
    int localLayers,
    double audit,
    Duration stepTimeout,
    int maxPipes,
    @Nullable Path cache) {
  public OriginSettings {
    check(localLayers >= 0, "local layers", localLayers, "0 or more");
    check(audit >= 0 && audit <= 1, "audit", audit, "a share from 0 to 1");
    check(
        stepTimeout.toMillis() >= 100 && stepTimeout.toDays() <= 1,
        "step timeout",
        stepTimeout.toMillis() + " ms",
        "100 ms to a day");
    check(maxPipes >= 1 && maxPipes <= 64, "pipes", maxPipes, "1 to 64");
  }

  /** One local layer, no audit, a minute for a step, up to 4 pipes. */
  public static OriginSettings of(NetworkSettings network, Path file, EngineSettings engine) {
    return new OriginSettings(network, file, engine, 1, 0, Duration.ofSeconds(60), 4, null);
  }

  public OriginSettings withLocalLayers(int layers) {
    return new OriginSettings(network, file, engine, layers, audit, stepTimeout, maxPipes, cache);
  }

  public OriginSettings withAudit(double rate) {
    return new OriginSettings(
        network, file, engine, localLayers, rate, stepTimeout, maxPipes, cache);
  }

  public OriginSettings withStepTimeout(Duration timeout) {
    return new OriginSettings(network, file, engine, localLayers, audit, timeout, maxPipes, cache);
  }

  public OriginSettings withMaxPipes(int pipes) {
    return new OriginSettings(network, file, engine, localLayers, audit, stepTimeout, pipes, cache);
  }

  public OriginSettings withCache(@Nullable Path directory) {
    return new OriginSettings(
        network, file, engine, localLayers, audit, stepTimeout, maxPipes, directory);
  }

  private static void check(boolean holds, String field, Object value, String rule) {
    if (!holds) {
      throw new ClusterException("%s: %s; it must be %s".formatted(field, value, rule));
    }
  }
}
