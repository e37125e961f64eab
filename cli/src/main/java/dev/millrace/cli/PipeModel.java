package dev.millrace.cli;

import dev.millrace.cli.log.Guests;
import dev.millrace.cluster.ClusterException;
import dev.millrace.cluster.origin.Origin;
import dev.millrace.cluster.origin.OriginSettings;
import dev.millrace.engine.Engine;
import dev.millrace.engine.EngineException;
import dev.millrace.engine.EngineSettings;
import dev.millrace.engine.cache.KvStore;
import dev.millrace.engine.gguf.Gguf;
import dev.millrace.engine.gguf.TensorInfo;
import dev.millrace.engine.model.AttentionConfig;
import dev.millrace.engine.model.LoadSettings;
import dev.millrace.engine.model.ModelConfig;
import dev.millrace.server.infer.ModelFile;
import dev.millrace.server.infer.Opening;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A model whose end is here and whose layers are at nodes, as a server loads it. It joins its
 * network when it is opened: a server that waits for its workspace is no member yet.
 */
final class PipeModel implements Opening, AutoCloseable {
  private static final System.Logger LOG = System.getLogger("dev.millrace.cli");
  private static final Pattern LAYER = Pattern.compile("blk\\.(\\d{1,6})\\..*");

  private final String name;
  private final OriginSettings settings;
  private final List<Runnable> hooks = new ArrayList<>(); // guarded by this
  private volatile @Nullable Origin origin;
  private volatile boolean joining;

  PipeModel(String name, OriginSettings settings) {
    this.name = name;
    this.settings = settings;
  }

  String name() {
    return name;
  }

  OriginSettings settings() {
    return settings;
  }

  ModelFile file() {
    return new ModelFile(name, settings.file(), this);
  }

  @Override
  public Engine open(EngineSettings engine) {
    close(); // of an earlier life, whose engine is closed
    joining = true;
    Guests.quieten();
    try {
      Origin opened = Origin.open(with(engine));
      synchronized (this) {
        origin = opened;
        hooks.forEach(opened::onReady);
      }
      return opened.engine();
    } catch (ClusterException e) {
      throw new EngineException(String.valueOf(e.getMessage()), e);
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
  public long bytes(EngineSettings engine) {
    Path file = settings.file();
    try (Gguf gguf = Gguf.open(file)) {
      long weights = 0;
      for (TensorInfo tensor : gguf.tensors()) {
        weights += isHere(tensor.name()) ? tensor.bytes() : 0;
      }
      return weights + settings.maxPipes() * cacheBytes(ModelConfig.of(gguf), engine);
    }
  }

  private boolean isHere(String tensor) {
    Matcher layer = LAYER.matcher(tensor);
    return !layer.matches() || Integer.parseInt(layer.group(1)) < settings.localLayers();
  }

  private long cacheBytes(ModelConfig config, EngineSettings engine) {
    if (settings.localLayers() == 0) {
      return 0;
    }
    LoadSettings loading = engine.loading(config);
    AttentionConfig attention = config.attention();
    KvStore.Shape shape =
        new KvStore.Shape(
            settings.localLayers(),
            loading.pages(),
            attention.kvHeads(),
            attention.keyLength(),
            attention.valueLength(),
            loading.kvType());
    return loading.pages() * shape.bytesPerPage();
  }

  @Override
  public boolean ready() {
    Origin present = origin;
    return present != null && present.ready();
  }

  @Override
  public String waiting() {
    Origin present = origin;
    if (present != null) {
      return present.waiting();
    }
    return joining
        ? "no member of its network has answered yet at " + addresses()
        : "it has not joined its network";
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
  public Map<String, Double> gauges() {
    Origin present = origin;
    return present == null ? Map.of() : present.stats().gauges();
  }

  /** Lets the log tell when it can be used; what is missing before, the origin itself tells. */
  void tellWhenReady() {
    onReady(() -> LOG.log(Level.INFO, "model " + name + " is served: a pipe is complete"));
  }

  @Override
  public void close() {
    Origin present;
    synchronized (this) {
      present = origin;
      origin = null;
    }
    if (present != null) {
      present.close();
    }
  }
}
