package dev.millrace.engine.internal.wheel;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.engine.api.Generation;
import dev.millrace.engine.api.GenerationListener;
import dev.millrace.engine.api.GenerationRequest;
import dev.millrace.engine.api.GenerationResult;
import dev.millrace.engine.api.Logprobs;
import dev.millrace.engine.api.Sampling;
import dev.millrace.engine.internal.pipe.FakeModel;
import dev.millrace.engine.internal.pipe.FakeNetwork;
import dev.millrace.engine.internal.pipe.Pipe;
import dev.millrace.engine.internal.pipe.PipeProcessor;
import dev.millrace.engine.internal.pipe.Segment;
import dev.millrace.engine.token.Vocabulary;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/** A scheduler with the fake model, stepped by hand, whose pages are checked after every turn. */
final class WheelHarness {
  static final FakeModel MODEL = new FakeModel(4);
  static final WheelSettings SETTINGS = WheelSettings.of(64, 512);

  final BatchLoop wheel;
  final PipeProcessor processor;
  final @Nullable FakeNetwork net;
  final List<PipeProcessor> others = new ArrayList<>();
  long now;

  WheelHarness(WheelSettings settings) {
    this(settings, PipeProcessor.local(MODEL.cut(settings.pages(), 0), MODEL.end()), null);
  }

  WheelHarness(WheelSettings settings, PipeProcessor processor, @Nullable FakeNetwork net) {
    this.processor = processor;
    this.net = net;
    wheel =
        new BatchLoop(
            settings,
            List.of(processor),
            vocabulary(),
            shown -> WheelHarness.detokenizer(),
            () -> now++,
            null);
  }

  /** A harness whose layers are at nodes: {@code nodes.charAt(layer)}; "o" is the origin. */
  static WheelHarness spread(WheelSettings settings, String nodes, long seed) {
    FakeNetwork net = new FakeNetwork(seed);
    List<Pipe.NodeLayers> stretches = new ArrayList<>();
    for (int from = 0; from < nodes.length(); ) {
      int to = from + 1;
      while (to < nodes.length() && nodes.charAt(to) == nodes.charAt(from)) {
        to++;
      }
      stretches.add(new Pipe.NodeLayers(nodes.substring(from, from + 1), from, to));
      from = to;
    }
    Pipe plan = new Pipe(7, "o", nodes.length(), stretches);
    PipeProcessor origin = node("o", settings, plan, net);
    WheelHarness harness = new WheelHarness(settings, origin, net);
    net.join("o", frame -> harness.wheel.receive(0, frame));
    nodes
        .chars()
        .filter(c -> c != 'o')
        .distinct()
        .forEach(
            c -> {
              PipeProcessor other = node(Character.toString(c), settings, plan, net);
              net.join(Character.toString(c), other::receive);
              harness.others.add(other);
            });
    return harness;
  }

  private static PipeProcessor node(
      String name, WheelSettings settings, Pipe plan, FakeNetwork net) {
    List<Segment> segments =
        plan.nodeLayers().stream()
            .filter(s -> s.node().equals(name))
            .map(s -> MODEL.segment(settings.pages(), s.from(), s.to()))
            .toList();
    PipeProcessor processor =
        new PipeProcessor(name, segments, name.equals("o") ? MODEL.end() : null, net);
    processor.setPlan(plan);
    return processor;
  }

  boolean turn() {
    boolean any = wheel.turn();
    wheel.check();
    return any;
  }

  /** Turns until there is nothing to do. */
  void turnAll() {
    int turns = 0;
    while (turn() || (net != null && net.step())) {
      assertThat(turns++).as("turns without an end").isLessThan(20_000);
    }
  }

  RecordingListener submit(GenerationRequest request) {
    RecordingListener recorded = new RecordingListener();
    recorded.generation = wheel.submit(request, recorded);
    return recorded;
  }

  RecordingListener submitAndTurn(GenerationRequest request) {
    RecordingListener recorded = submit(request);
    turnAll();
    return recorded;
  }

  static int[] prompt(Random random, int length) {
    return random.ints(length, 2, FakeModel.VOCABULARY).toArray();
  }

  static Sampling warm(long seed) {
    return Sampling.builder()
        .temperature(0.9)
        .topK(40)
        .seed(seed)
        .repetitionPenalty(1.1)
        .penaltyWindow(64)
        .build();
  }

  static Vocabulary vocabulary() {
    return new Vocabulary() {
      @Override
      public int size() {
        return FakeModel.VOCABULARY;
      }

      @Override
      public byte[] bytes(int token) {
        return new byte[] {(byte) ('a' + token % 26)};
      }

      @Override
      public boolean isControl(int token) {
        return token == FakeModel.END;
      }

      @Override
      public boolean isEnd(int token) {
        return token == FakeModel.END;
      }
    };
  }

  /** Odd tokens are decoded together with the next even one, like halves of a character. */
  static Detokenizer detokenizer() {
    return new Detokenizer() {
      private final StringBuilder held = new StringBuilder();

      @Override
      public String push(int token) {
        held.append((char) ('a' + token % 26));
        return token % 2 == 1 ? "" : flush();
      }

      @Override
      public String flush() {
        String text = held.toString();
        held.setLength(0);
        return text;
      }
    };
  }

  static String spell(int[] tokens) {
    StringBuilder text = new StringBuilder();
    for (int token : tokens) {
      text.append((char) ('a' + token % 26));
    }
    return text.toString();
  }

  /** Records all events of a generation. */
  static final class RecordingListener implements GenerationListener {
    Generation generation;
    final List<Integer> tokens = new ArrayList<>();
    final StringBuilder text = new StringBuilder();
    final List<Float> logprobs = new ArrayList<>();
    final List<Integer> progress = new ArrayList<>();
    int begins;
    int ends;
    Runnable onToken = () -> {};

    @Override
    public void token(int id, String piece, @Nullable Logprobs given) {
      tokens.add(id);
      text.append(piece);
      if (given != null) {
        logprobs.add(given.chosen());
      }
      onToken.run();
    }

    @Override
    public void began() {
      assertThat(tokens).isEmpty();
      begins++;
    }

    @Override
    public void progress(int done, int total) {
      progress.add(done);
    }

    @Override
    public void ended(GenerationResult result) {
      ends++;
      text.append(result.rest());
    }

    GenerationResult result() {
      assertThat(ends).as("ends exactly once").isEqualTo(1);
      return generation.result().orElseThrow();
    }

    int[] ids() {
      return tokens.stream().mapToInt(Integer::intValue).toArray();
    }
  }
}
