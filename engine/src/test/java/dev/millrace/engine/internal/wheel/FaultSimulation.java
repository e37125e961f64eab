package dev.millrace.engine.internal.wheel;

import dev.millrace.engine.error.EngineException;
import dev.millrace.engine.internal.pipe.FakeModel;
import dev.millrace.engine.internal.pipe.ForgedFrames;
import dev.millrace.engine.internal.pipe.FrameTransport;
import dev.millrace.engine.internal.pipe.Pipe;
import dev.millrace.engine.internal.pipe.PipeProcessor;
import dev.millrace.engine.internal.pipe.Segment;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Schedulers over pipes whose nodes come and go, with a network between them that loses, repeats,
 * swaps, damages and replays frames, all drawn from a seed. It also plays the planner of an origin:
 * a pipe with a visible fault, or without progress, gets a new plan.
 */
final class FaultSimulation {
  private static final FakeModel MODEL = WheelHarness.MODEL;
  private static final String ORIGIN = "o";
  private static final String NODES = "abcd";

  /** A frame in transit. */
  private record Letter(int pipe, String to, byte[] bytes) {}

  final BatchLoop wheels;
  final int pipes;
  boolean storm;
  boolean forging; // whether half of the damaged frames get a valid hash
  long replans;
  long forged;
  private final Random random;
  private final WheelSettings settings;
  private final List<Map<String, PipeProcessor>> nodes = new ArrayList<>(); // of each pipe
  private final List<@Nullable Pipe> plans = new ArrayList<>();
  private final List<Letter> letters = new ArrayList<>();
  private final List<Letter> delivered = new ArrayList<>();
  private final boolean[] hurt;
  private long epochs;
  private long now;

  FaultSimulation(WheelSettings settings, int pipes, Random random, @Nullable AuditHook auditHook) {
    this.settings = settings;
    this.pipes = pipes;
    this.random = random;
    hurt = new boolean[pipes];
    List<PipeProcessor> origins = new ArrayList<>();
    for (int pipe = 0; pipe < pipes; pipe++) {
      nodes.add(new TreeMap<>());
      plans.add(null);
      origins.add(processor(pipe, ORIGIN));
      for (int i = 0; i < NODES.length(); i++) {
        come(pipe, NODES.substring(i, i + 1));
      }
    }
    wheels =
        new BatchLoop(
            settings,
            origins,
            WheelHarness.vocabulary(),
            shown -> WheelHarness.detokenizer(),
            () -> now++,
            auditHook);
  }

  /** Each node has all layers one by one, so that any plan is possible. */
  private PipeProcessor processor(int pipe, String name) {
    FrameTransport transport = (to, frame) -> letters.add(new Letter(pipe, to, bytes(frame)));
    List<Segment> layers = MODEL.cut(settings.pages(), 0, 1, 2, 3);
    return new PipeProcessor(name, layers, name.equals(ORIGIN) ? MODEL.end() : null, transport);
  }

  private static byte[] bytes(ByteBuffer frame) {
    return Arrays.copyOf(frame.array(), frame.limit());
  }

  private void come(int pipe, String node) {
    nodes.get(pipe).put(node, processor(pipe, node));
  }

  /** The processor of a node in a pipe; null if the node is gone. */
  @Nullable PipeProcessor node(int pipe, String name) {
    return nodes.get(pipe).get(name);
  }

  @Nullable Pipe plan(int pipe) {
    return plans.get(pipe);
  }

  boolean turn() {
    boolean any = wheels.turn();
    wheels.check();
    return any;
  }

  /** One random event: a frame arrives, or not; a node goes or comes; a pipe gets a plan. */
  void happen() {
    int pipe = random.nextInt(pipes);
    if (storm && random.nextInt(40) == 0) {
      lose(pipe);
    } else if (hurt[pipe] && random.nextInt(10) == 0) {
      replan(pipe);
    } else {
      deliver();
    }
  }

  private void lose(int pipe) {
    String node = NODES.substring(random.nextInt(4)).substring(0, 1);
    if (nodes.get(pipe).remove(node) == null) {
      come(pipe, node); // it restarts, and knows nothing
    }
    letters.removeIf(letter -> letter.pipe() == pipe && letter.to().equals(node));
    hurt[pipe] = true;
    if (random.nextInt(4) == 0) {
      plans.set(pipe, null);
      wheels.setPlan(pipe, null, "node " + node + " is lost");
    }
  }

  /** The first frame to any node, without faults. */
  private void deliver() {
    if (letters.isEmpty()) {
      return;
    }
    Letter any = letters.get(random.nextInt(letters.size()));
    List<Letter> same =
        letters.stream().filter(l -> l.pipe() == any.pipe() && l.to().equals(any.to())).toList();
    Letter letter = same.getFirst();
    int mishap = storm ? random.nextInt(120) : 99;
    mishap = forging && mishap > 110 ? 3 : mishap;
    switch (mishap) {
      case 0 -> {
        letters.remove(letter);
        hurt[letter.pipe()] = true;
      }
      case 1 -> open(letter); // and stays
      case 2 -> take(same.getLast());
      case 3 -> {
        letters.remove(letter);
        open(new Letter(letter.pipe(), letter.to(), spoil(letter.bytes())));
      }
      case 4, 5 -> {
        if (!delivered.isEmpty()) {
          open(delivered.get(random.nextInt(delivered.size())));
        }
      }
      default -> take(letter);
    }
  }

  private byte[] spoil(byte[] bytes) {
    if (forging && random.nextBoolean()) {
      forged++;
      return ForgedFrames.anyBit(bytes, random);
    }
    byte[] spoilt = bytes.clone();
    spoilt[random.nextInt(spoilt.length)] ^= (byte) (1 << random.nextInt(8));
    return spoilt;
  }

  private void take(Letter letter) {
    letters.remove(letter);
    delivered.add(letter);
    open(letter);
  }

  private void open(Letter letter) {
    ByteBuffer bytes = ByteBuffer.wrap(letter.bytes().clone());
    try {
      if (letter.to().equals(ORIGIN)) {
        wheels.receive(letter.pipe(), bytes);
      } else if (nodes.get(letter.pipe()).get(letter.to()) instanceof PipeProcessor node
          && node.epoch() > 0) {
        node.receive(bytes);
      } else {
        hurt[letter.pipe()] = true; // it is gone, or restarted and has nothing open
      }
    } catch (EngineException e) {
      hurt[letter.pipe()] = true;
    }
  }

  /** A plan over some of the present nodes, which get it first. */
  void replan(int pipe) {
    List<Pipe.NodeLayers> stretches = new ArrayList<>();
    List<String> there = new ArrayList<>(nodes.get(pipe).keySet());
    there.add(ORIGIN);
    for (int from = 0; from < 4; ) {
      String node = from == 0 ? ORIGIN : there.get(random.nextInt(there.size()));
      int to = from + 1 + random.nextInt(Math.min(2, 4 - from));
      stretches.add(new Pipe.NodeLayers(node, from, to));
      from = to;
    }
    Pipe plan = new Pipe(++epochs, ORIGIN, 4, stretches);
    nodes.get(pipe).values().forEach(node -> node.setPlan(plan));
    plans.set(pipe, plan);
    wheels.setPlan(pipe, plan, "plan " + epochs);
    hurt[pipe] = false;
    replans++;
  }

  void replanAll() {
    for (int pipe = 0; pipe < pipes; pipe++) {
      replan(pipe);
    }
    turn();
  }

  /** The faults are over: a damaged or stalled pipe gets a new plan until all is done. */
  void calm() {
    storm = false;
    int rounds = 0;
    do {
      for (int pipe = 0; pipe < pipes; pipe++) {
        if (hurt[pipe] || plans.get(pipe) == null || !wheels.inFlight(pipe).isEmpty()) {
          replan(pipe);
        }
      }
      while (turn() || !letters.isEmpty()) {
        deliver();
      }
      if (rounds++ > 50) {
        throw new IllegalStateException("it does not come to rest: " + wheels.stats());
      }
    } while (wheels.stats().waiting() + wheels.stats().admitted() > 0);
  }

  /** The passages that nodes of current plans still hold. */
  int passages() {
    int passages = 0;
    for (int pipe = 0; pipe < pipes; pipe++) {
      for (PipeProcessor node : nodes.get(pipe).values()) {
        passages += node.passageCount();
      }
    }
    return passages;
  }
}
