package dev.millrace.engine;

import dev.millrace.engine.api.KernelType;
import dev.millrace.engine.internal.config.ModelConfig;
import dev.millrace.engine.internal.gguf.Gguf;
import dev.millrace.engine.internal.model.EmbeddingAndHeadWeights;
import dev.millrace.engine.internal.model.LayerSegment;
import dev.millrace.engine.internal.model.LoadSettings;
import dev.millrace.engine.internal.model.SegmentWeights;
import dev.millrace.engine.internal.pipe.FakeNetwork;
import dev.millrace.engine.internal.pipe.Pipe;
import dev.millrace.engine.internal.pipe.PipeProcessor;
import dev.millrace.engine.internal.pipe.Segment;
import dev.millrace.engine.internal.tensor.ComputePool;
import dev.millrace.engine.internal.wheel.BatchLoop;
import dev.millrace.engine.internal.wheel.Detokenizer;
import dev.millrace.engine.internal.wheel.WheelSettings;
import dev.millrace.engine.token.Vocabulary;
import java.lang.foreign.Arena;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A scheduler with a real model, set up for a scenario and stepped by hand. */
final class ScenarioWheel implements AutoCloseable {
  private static final String[] NODES = {"o", "a", "b"};

  final BatchLoop wheel;
  final LogitsRecorder tap;
  private final ComputePool pool;
  private final Arena arena = Arena.ofShared();
  private final List<SegmentWeights> loaded = new ArrayList<>();
  private final List<LayerSegment> segments = new ArrayList<>();
  private final FakeNetwork net;
  private final List<PipeProcessor> others = new ArrayList<>();

  ScenarioWheel(DeterminismScenario scenario, Path file) {
    pool = new ComputePool(scenario.threads());
    net = new FakeNetwork(scenario.batch());
    int rows = Math.max(scenario.chunk(), scenario.batch());
    KernelType kernels = scenario.kernels().type;
    LoadSettings loading =
        new LoadSettings(
            scenario.threads(),
            kernels,
            scenario.kv(),
            scenario.model().shape().context(),
            scenario.pages(),
            rows,
            scenario.batch());
    try (Gguf gguf = Gguf.open(file)) {
      ModelConfig config = ModelConfig.of(gguf);
      int cuts = scenario.cut().segments;
      for (int i = 0; i < cuts; i++) {
        int from = config.layers() * i / cuts;
        int to = config.layers() * (i + 1) / cuts;
        SegmentWeights weights = SegmentWeights.load(gguf, config, from, to, kernels, pool);
        loaded.add(weights);
        segments.add(weights.open(from, to, loading));
      }
      tap = new LogitsRecorder(EmbeddingAndHeadWeights.load(gguf, config, loading, pool, arena));
    }
    boolean nodes = scenario.cut().nodes;
    WheelSettings turning =
        new WheelSettings(
            rows,
            scenario.batch(),
            scenario.chunk(),
            scenario.pages(),
            scenario.model().shape().context(),
            scenario.prefix(),
            nodes ? 2 : 1);
    PipeProcessor processor =
        nodes ? spread() : PipeProcessor.local(List.<Segment>copyOf(segments), tap);
    wheel =
        new BatchLoop(
            turning,
            List.of(processor),
            new Numbers(tap.vocabulary()),
            shown -> new Silent(),
            System::nanoTime,
            null);
    net.join("o", frame -> wheel.receive(0, frame));
  }

  /** A segment at each node, the first one at the origin. */
  private PipeProcessor spread() {
    List<Pipe.NodeLayers> stretches = new ArrayList<>();
    for (LayerSegment segment : segments) {
      stretches.add(new Pipe.NodeLayers(NODES[stretches.size()], segment.from(), segment.to()));
    }
    Pipe plan = new Pipe(1, "o", segments.getLast().to(), stretches);
    PipeProcessor origin = new PipeProcessor("o", List.of(segments.getFirst()), tap, net);
    origin.setPlan(plan);
    for (int i = 1; i < segments.size(); i++) {
      PipeProcessor other = new PipeProcessor(NODES[i], List.of(segments.get(i)), null, net);
      other.setPlan(plan);
      net.join(NODES[i], other::receive);
      others.add(other);
    }
    return origin;
  }

  /** Advances all nodes by one step; false if there is nothing to do. */
  boolean step() {
    return wheel.turn() | net.step();
  }

  /** The passages for which other nodes still hold keys and values. */
  int passagesElsewhere() {
    return others.stream().mapToInt(PipeProcessor::passageCount).sum();
  }

  @Override
  public void close() {
    wheel.close();
    pool.close();
    loaded.forEach(SegmentWeights::close);
    arena.close();
  }

  /** Tokens without text, of which none ends anything. */
  record Numbers(int size) implements Vocabulary {
    @Override
    public byte[] bytes(int token) {
      return new byte[0];
    }

    @Override
    public boolean isControl(int token) {
      return false;
    }

    @Override
    public boolean isEnd(int token) {
      return false;
    }
  }

  /** Decodes every token as no text. */
  static final class Silent implements Detokenizer {
    @Override
    public String push(int token) {
      return "";
    }

    @Override
    public String flush() {
      return "";
    }
  }
}
