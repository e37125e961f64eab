package dev.millrace.cluster.origin;

import dev.millrace.cluster.ClusterException;
import dev.millrace.cluster.member.ModelNeed;
import dev.millrace.engine.Engine;
import dev.millrace.engine.Numerics;
import dev.millrace.engine.Prompts;
import dev.millrace.engine.gguf.Gguf;
import dev.millrace.engine.model.EndModel;
import dev.millrace.engine.model.LoadSettings;
import dev.millrace.engine.model.ModelConfig;
import dev.millrace.engine.model.SegmentWeights;
import dev.millrace.engine.pipe.Hop;
import dev.millrace.engine.pipe.PipeProcessor;
import dev.millrace.engine.pipe.Segment;
import dev.millrace.engine.token.Tokenizer;
import dev.millrace.engine.wheel.Examiner;
import dev.millrace.engine.wheel.Speller;
import dev.millrace.engine.wheel.WheelSettings;
import dev.millrace.engine.wheel.Wheels;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** What the origin has of its model: tokenizer, end and first layers; and what it needs of others. */
final class OwnModel implements AutoCloseable {
  /** Batches of a pipe that may be under way at once. */
  static final int GROUPS = 8;

  private final Tokenizer tokenizer;
  private final Prompts prompts;
  private final EndModel end;
  private final WheelSettings turning;
  private final ModelNeed need;
  private final Terms terms;

  private OwnModel(OriginSettings settings, String sha256, Gguf gguf, ModelConfig config) {
    tokenizer = Tokenizer.of(gguf.metadata());
    prompts = new Prompts(gguf.metadata(), tokenizer);
    LoadSettings loading = settings.engine().loading(config);
    turning = settings.engine().turning(config).withGroups(GROUPS);
    List<Long> layerBytes = new ArrayList<>();
    for (int layer = 0; layer < config.layers(); layer++) {
      layerBytes.add(SegmentWeights.fileBytes(gguf, layer, layer + 1));
    }
    String name = name(settings.file());
    long cacheBytes = SegmentWeights.cacheBytes(config, 1, loading);
    need =
        new ModelNeed(
            sha256, name, fileBytes(gguf), layerBytes, cacheBytes, settings.localLayers());
    terms =
        new Terms(
            sha256,
            name,
            Numerics.VERSION,
            settings.engine().kvType(),
            turning.context(),
            turning.pages(),
            turning.maxRows(),
            turning.maxSequences(),
            GROUPS);
    end = EndModel.open(gguf, settings.localLayers(), loading);
  }

  /** Loads the end and the first layers. */
  static OwnModel load(OriginSettings settings, OwnFile file) {
    ModelConfig config = Engine.generating(file.gguf());
    if (settings.localLayers() > config.layers()) {
      throw new ClusterException(
          "%d local layers are asked for, but the model of %s has %d"
              .formatted(settings.localLayers(), settings.file(), config.layers()));
    }
    return new OwnModel(settings, file.sha256(), file.gguf(), config);
  }

  /** What the file is called, without what every name has. */
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

  ModelNeed need() {
    return need;
  }

  Terms terms() {
    return terms;
  }

  /** What the end, the first layers and their keys and values take, with so many pipes. */
  long usedBytes(int pipes) {
    return end.weightBytes() + pipes * need.local() * need.cacheBytes();
  }

  /** Of a hidden state. */
  int width() {
    return end.config().width();
  }

  /** Wheels for as many pipes as there are hops, without a plan yet. */
  Wheels wheels(
      String node, List<? extends Hop> hops, LongSupplier clock, @Nullable Examiner examiner) {
    List<PipeProcessor> processors = new ArrayList<>();
    for (Hop hop : hops) {
      List<Segment> segments = List.copyOf(end.openSegments());
      processors.add(new PipeProcessor(node, segments, end.end(), hop));
    }
    return new Wheels(
        turning, processors, tokenizer, () -> Speller.of(tokenizer.decoder()), clock, examiner);
  }

  /** Starts the wheels; this model is the engine's from then on, and goes with it. */
  Engine engine(Wheels wheels) {
    return Engine.of(
        new Engine.Parts(
            tokenizer,
            prompts,
            end.metadata(),
            end.config(),
            end.settings().context(),
            end.weightBytes(),
            end.kvBytesPerToken(),
            wheels,
            end));
  }

  /** Frees it, where it has not become an engine's. */
  @Override
  public void close() {
    end.close();
  }
}
