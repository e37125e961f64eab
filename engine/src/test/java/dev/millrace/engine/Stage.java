package dev.millrace.engine;

import dev.millrace.engine.gguf.Gguf;
import dev.millrace.engine.model.LayerSegment;
import dev.millrace.engine.model.LoadSettings;
import dev.millrace.engine.model.ModelConfig;
import dev.millrace.engine.model.ModelEnd;
import dev.millrace.engine.model.SegmentWeights;
import dev.millrace.engine.pipe.FakeNet;
import dev.millrace.engine.pipe.Pipe;
import dev.millrace.engine.pipe.PipeProcessor;
import dev.millrace.engine.pipe.Segment;
import dev.millrace.engine.tensor.Crew;
import dev.millrace.engine.tensor.Kernels;
import dev.millrace.engine.token.Vocabulary;
import dev.millrace.engine.wheel.Speller;
import dev.millrace.engine.wheel.WheelSettings;
import dev.millrace.engine.wheel.Wheels;
import java.lang.foreign.Arena;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A wheel on a real model, set up as a scenario says and stepped by hand. */
final class Stage implements AutoCloseable {
  private static final String[] NODES = {"o", "a", "b"};

  final Wheels wheel;
  final HeadTap tap;
  private final Crew crew;
  private final Arena arena = Arena.ofShared();
  private final List<SegmentWeights> loaded = new ArrayList<>();
  private final List<LayerSegment> segments = new ArrayList<>();
  private final FakeNet net;
  private final List<PipeProcessor> others = new ArrayList<>();

  Stage(Scenario scenario, Path file) {
    crew = new Crew(scenario.threads());
    net = new FakeNet(scenario.batch());
    int rows = Math.max(scenario.chunk(), scenario.batch());
    Kernels kernels = scenario.bits() == 0 ? Kernels.SCALAR : Kernels.VECTOR;
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
        SegmentWeights weights = SegmentWeights.load(gguf, config, from, to, kernels, crew);
        loaded.add(weights);
        segments.add(weights.open(from, to, loading));
      }
      tap = new HeadTap(ModelEnd.load(gguf, config, loading, crew, arena));
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
        new Wheels(
            turning,
            List.of(processor),
            new Numbers(tap.vocabulary()),
            Silent::new,
            System::nanoTime,
            null);
    net.join("o", frame -> wheel.arrived(0, frame));
  }

  /** A segment at each node, the first one at the origin. */
  private PipeProcessor spread() {
    List<Pipe.Stretch> stretches = new ArrayList<>();
    for (LayerSegment segment : segments) {
      stretches.add(new Pipe.Stretch(NODES[stretches.size()], segment.from(), segment.to()));
    }
    Pipe plan = new Pipe(1, "o", segments.getLast().to(), stretches);
    PipeProcessor origin = new PipeProcessor("o", List.of(segments.getFirst()), tap, net);
    origin.plan(plan);
    for (int i = 1; i < segments.size(); i++) {
      PipeProcessor other = new PipeProcessor(NODES[i], List.of(segments.get(i)), null, net);
      other.plan(plan);
      net.join(NODES[i], other::receive);
      others.add(other);
    }
    return origin;
  }

  /** Takes all a step further; false where there is nothing to do. */
  boolean step() {
    return wheel.turn() | net.step();
  }

  /** Passages for which other nodes still keep keys and values. */
  int passagesElsewhere() {
    return others.stream().mapToInt(PipeProcessor::passages).sum();
  }

  @Override
  public void close() {
    wheel.close();
    crew.close();
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

  /** Spells nothing. */
  static final class Silent implements Speller {
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
