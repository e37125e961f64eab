package dev.millrace.cli.model;

import dev.millrace.cli.log.JGroupsLogging;
import dev.millrace.cluster.ClusterException;
import dev.millrace.cluster.OriginSettings;
import dev.millrace.cluster.origin.Origin;
import dev.millrace.engine.Engine;
import dev.millrace.engine.api.EngineSettings;
import dev.millrace.engine.error.EngineException;
import dev.millrace.engine.internal.config.ModelConfig;
import dev.millrace.engine.internal.gguf.Gguf;
import dev.millrace.engine.internal.gguf.TensorInfo;
import dev.millrace.engine.internal.model.LoadSettings;
import dev.millrace.engine.internal.model.SegmentWeights;
import dev.millrace.server.infer.model.NamedModel;
import dev.millrace.server.infer.model.NodeNetwork;
import dev.millrace.server.infer.model.RemoteModelOpener;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A model whose end runs here and whose layers run at nodes. It joins its network when it is
 * opened, so that a server that waits for its workspace is not yet a member.
 */
public final class PipeModel implements RemoteModelOpener {
  private static final System.Logger LOG = System.getLogger("dev.millrace.cli");

  private final String name;
  private final OriginSettings settings;
  private final List<Runnable> hooks = new ArrayList<>(); // guarded by this
  private volatile @Nullable Origin origin;
  private volatile boolean joining;
  private volatile String problem = "it has not joined its network";

  public PipeModel(String name, OriginSettings settings) {
    this.name = name;
    this.settings = settings;
  }

  public String name() {
    return name;
  }

  public NamedModel file() {
    return new NamedModel(name, settings.file(), this);
  }

  @Override
  public Engine open(EngineSettings engine) {
    joining = true;
    JGroupsLogging.silence();
    try {
      Origin opened = Origin.open(with(engine));
      synchronized (this) {
        origin = opened;
        hooks.forEach(opened::onReady);
      }
      return opened.engine();
    } catch (ClusterException | EngineException e) {
      problem = String.valueOf(e.getMessage());
      throw e instanceof EngineException known ? known : new EngineException(problem, e);
    } finally {
      joining = false;
    }
  }

  private OriginSettings with(EngineSettings engine) {
    return new OriginSettings(
        settings.network(),
        settings.file(),
        engine,
        settings.localLayers(),
        settings.audit(),
        settings.stepTimeout(),
        settings.maxPipes(),
        settings.cache());
  }

  /** The tensors of the end and of the local layers, and a cache for these in each pipe. */
  @Override
  public long bytes(Path file, EngineSettings engine) {
    int local = settings.localLayers();
    try (Gguf gguf = Gguf.open(file)) {
      ModelConfig config = ModelConfig.of(gguf);
      long all = gguf.tensors().stream().mapToLong(TensorInfo::bytes).sum();
      long weights = all - SegmentWeights.fileBytes(gguf, local, config.layers());
      return local == 0
          ? weights
          : weights
              + settings.maxPipes()
                  * SegmentWeights.cacheBytes(config, local, LoadSettings.of(engine, config));
    }
  }

  @Override
  public String sha256() {
    Origin present = origin;
    if (present == null) {
      throw new IllegalStateException("model " + name + " is not open");
    }
    return present.sha256();
  }

  @Override
  public boolean ready() {
    Origin present = origin;
    return present != null && present.isReady();
  }

  @Override
  public String waitReason() {
    Origin present = origin;
    if (present != null) {
      return present.waitingReason();
    }
    if (!joining) {
      return problem;
    }
    return settings.network().join().isEmpty()
        ? "it is being loaded"
        : "no member of its network has answered yet at " + addresses();
  }

  private String addresses() {
    return String.join(", ", settings.network().join().stream().map(Object::toString).toList());
  }

  @Override
  public void onReady(Runnable hook) {
    Origin present;
    synchronized (this) {
      hooks.add(hook);
      present = origin;
    }
    if (present != null) {
      present.onReady(hook);
    }
  }

  @Override
  public Map<String, Double> metrics() {
    Origin present = origin;
    return present == null ? Map.of() : present.stats().figures();
  }

  @Override
  public Optional<NodeNetwork> network() {
    Origin present = origin;
    return present == null
        ? Optional.empty()
        : Optional.of(NodeNetworkReader.read(present.nodes(), present.stats(), settings.audit()));
  }

  /** Logs when the model becomes usable; the origin logs what is missing until then. */
  public void logWhenReady() {
    String file = ModelChoice.stem(settings.file()); // its name in the network
    String shown = name.equals(file) ? name : name + " (" + file + ")";
    onReady(() -> LOG.log(Level.INFO, "model " + shown + " is served: a pipe is complete"));
  }

  /** Leaves the network; it may be opened again. */
  @Override
  public void close() {
    Origin present;
    synchronized (this) {
      present = origin;
      origin = null;
      problem = "it has left its network";
    }
    if (present != null) {
      present.close();
    }
  }
}
