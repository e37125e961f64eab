package dev.millrace.cluster.internal.model;

import dev.millrace.cluster.ClusterException;
import dev.millrace.cluster.ModelRequirements;
import dev.millrace.cluster.OriginSettings;
import dev.millrace.cluster.internal.protocol.SessionParameters;
import dev.millrace.engine.Engine;
import dev.millrace.engine.PromptEncoder;
import dev.millrace.engine.internal.config.ModelConfig;
import dev.millrace.engine.internal.config.WeightFormats;
import dev.millrace.engine.internal.gguf.Gguf;
import dev.millrace.engine.internal.model.EndModel;
import dev.millrace.engine.internal.model.LoadSettings;
import dev.millrace.engine.internal.model.SegmentWeights;
import dev.millrace.engine.internal.pipe.FrameTransport;
import dev.millrace.engine.internal.pipe.PipeProcessor;
import dev.millrace.engine.internal.pipe.Segment;
import dev.millrace.engine.internal.wheel.AuditHook;
import dev.millrace.engine.internal.wheel.BatchLoop;
import dev.millrace.engine.internal.wheel.Detokenizer;
import dev.millrace.engine.internal.wheel.WheelSettings;
import dev.millrace.engine.numerics.ModelNumerics;
import dev.millrace.engine.numerics.SupportedNumerics;
import dev.millrace.engine.token.Tokenizer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** The origin's part of its model (tokenizer, end, first layers), and what it needs from nodes. */
public final class OriginModel implements AutoCloseable {
  /** Groups of sequences that may be in flight in a pipe. */
  public static final int GROUPS = 8;

  private final Tokenizer tokenizer;
  private final PromptEncoder prompts;
  private final EndModel end;
  private final WheelSettings wheelSettings;
  private final ModelNumerics numerics; // of the whole model
  private final ModelNumerics layerNumerics; // of the layers that nodes compute
  private final ModelRequirements requirements;
  private final SessionParameters parameters;

  private OriginModel(OriginSettings settings, String sha256, Gguf gguf, ModelConfig config) {
    tokenizer = Tokenizer.of(gguf.metadata());
    prompts = new PromptEncoder(gguf.metadata(), tokenizer);
    LoadSettings loading = LoadSettings.of(settings.engine(), config);
    wheelSettings =
        WheelSettings.of(settings.engine(), loading.pages(), loading.context()).withGroups(GROUPS);
    List<Long> layerBytes = new ArrayList<>();
    for (int layer = 0; layer < config.layers(); layer++) {
      layerBytes.add(SegmentWeights.fileBytes(gguf, layer, layer + 1));
    }
    String name = name(settings.file());
    long cacheBytes = SegmentWeights.cacheBytes(config, 1, loading);
    requirements =
        new ModelRequirements(
            sha256, name, fileBytes(gguf), layerBytes, cacheBytes, settings.localLayers());
    numerics = new ModelNumerics(SupportedNumerics.CURRENT, WeightFormats.of(gguf)).newestOnly();
    layerNumerics =
        new ModelNumerics(
            numerics.supported(),
            WeightFormats.ofLayers(gguf, settings.localLayers(), config.layers()));
    parameters =
        new SessionParameters(
            sha256,
            name,
            numerics.newest(), // a session has one version for all its sequences
            new SessionParameters.CacheShape(
                settings.engine().kvType(), wheelSettings.context(), wheelSettings.pages()),
            new SessionParameters.BatchShape(
                wheelSettings.maxRows(), wheelSettings.maxSequences(), GROUPS));
    end = EndModel.open(gguf, settings.localLayers(), loading);
  }

  /** Loads the end and the first layers. */
  public static OriginModel load(OriginSettings settings, OriginModelFile file) {
    ModelConfig config = ModelConfig.ofGenerator(file.gguf());
    if (settings.localLayers() > config.layers()) {
      throw new ClusterException(
          "%d local layers are requested, but the model of %s has %d"
              .formatted(settings.localLayers(), settings.file(), config.layers()));
    }
    return new OriginModel(settings, file.sha256(), file.gguf(), config);
  }

  /** The model's name: its file name without the ending. */
  private static String name(Path file) {
    String name = String.valueOf(file.getFileName());
    return name.endsWith(".gguf") ? name.substring(0, name.length() - 5) : name;
  }

  private static long fileBytes(Gguf gguf) {
    try {
      long bytes = 0;
      for (Path part : gguf.files()) {
        bytes += Files.size(part);
      }
      return bytes;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public ModelRequirements requirements() {
    return requirements;
  }

  /** The version of the arithmetic that a node needs for its layers. */
  public ModelNumerics layerNumerics() {
    return layerNumerics;
  }

  public SessionParameters sessionParameters() {
    return parameters;
  }

  /** Memory of the end, the first layers and their keys and values, with so many pipes. */
  public long usedBytes(int pipes) {
    return end.weightBytes() + pipes * requirements.local() * requirements.cacheBytes();
  }

  /** Width of a hidden state. */
  public int width() {
    return end.config().width();
  }

  /** A batch loop with one pipe per transport, without plans yet. */
  public BatchLoop wheels(
      String node,
      List<? extends FrameTransport> transports,
      LongSupplier clock,
      @Nullable AuditHook auditHook) {
    List<PipeProcessor> processors = new ArrayList<>();
    for (FrameTransport transport : transports) {
      List<Segment> segments = List.copyOf(end.openSegments());
      processors.add(new PipeProcessor(node, segments, end.end(), transport));
    }
    return new BatchLoop(
        wheelSettings,
        processors,
        tokenizer,
        shown -> Detokenizer.of(tokenizer, shown),
        clock,
        auditHook);
  }

  /** Makes the engine, which owns this model from then on. */
  public Engine engine(BatchLoop wheels) {
    return Engine.of(
        new Engine.Parts(
            tokenizer,
            prompts,
            end.metadata(),
            end.config().info(),
            numerics,
            end.settings().context(),
            end.weightBytes(),
            end.kvBytesPerToken(),
            wheels,
            end));
  }

  /** Frees the model if no engine owns it. */
  @Override
  public void close() {
    end.close();
  }
}
