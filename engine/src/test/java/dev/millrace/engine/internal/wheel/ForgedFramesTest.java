package dev.millrace.engine.internal.wheel;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.engine.api.FinishReason;
import dev.millrace.engine.api.GenerationRequest;
import dev.millrace.engine.error.EngineException;
import dev.millrace.engine.internal.pipe.FakeNetwork;
import dev.millrace.engine.internal.pipe.ForgedFrames;
import dev.millrace.engine.internal.pipe.NextComputation;
import dev.millrace.engine.internal.pipe.Pipe;
import dev.millrace.engine.internal.pipe.PipeProcessor;
import dev.millrace.engine.internal.wheel.WheelHarness.RecordingListener;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Wrong frames from nodes: sequences fail, or are computed again; none hangs. */
@Timeout(600)
class ForgedFramesTest {
  private static final int SEEDS = Boolean.getBoolean("millrace.proof") ? 20_000 : 600;
  private static final Pipe PLAN =
      new Pipe(
          7,
          "o",
          4,
          List.of(
              new Pipe.NodeLayers("o", 0, 1),
              new Pipe.NodeLayers("a", 1, 2),
              new Pipe.NodeLayers("b", 2, 4)));

  private final Random random = new Random(31);

  @Test
  void rowsThatComeBackForAnotherStepAreComputedAgain() {
    for (NextComputation step : NextComputation.values()) {
      WheelHarness harness = WheelHarness.spread(WheelHarness.SETTINGS.withRows(32, 32), "oaaa", 1);
      GenerationRequest request =
          GenerationRequest.of(
                  WheelHarness.prompt(random, 80), WheelHarness.warm(step.ordinal()), 5)
              .ignoringEnd();
      RecordingListener recorded = harness.submit(request);
      for (int frames = 0; !recorded.generation.isDone(); frames++) {
        harness.turn();
        harness.net.step();
        ByteBuffer answer = harness.net.waiting("o").poll();
        if (answer != null) { // chunks of the prompt, and some tokens
          harness.wheel.receive(0, frames % 3 == 2 ? ForgedFrames.step(answer, step) : answer);
        }
        assertThat(frames).as("frames, with step %s", step).isLessThan(100);
      }
      assertThat(recorded.result().finish())
          .as(recorded.result().reason())
          .isEqualTo(FinishReason.LENGTH);
      assertThat(recorded.result().tokens())
          .isEqualTo(
              new WheelHarness(WheelHarness.SETTINGS).submitAndTurn(request).result().tokens());
    }
  }

  @Test
  void aFlippedBitInAFrameLosesNoSequence() {
    for (int seed = 0; seed < SEEDS; seed++) {
      try {
        play(new Random(seed), seed);
      } catch (Throwable e) {
        throw new AssertionError("seed " + seed + ": " + e, e);
      }
    }
  }

  private static void play(Random random, int seed) {
    FakeNetwork net = new FakeNetwork(seed);
    PipeProcessor origin = node(net, "o", 0, 1);
    PipeProcessor a = node(net, "a", 1, 2);
    PipeProcessor b = node(net, "b", 2, 4);
    BatchLoop wheels =
        new BatchLoop(
            WheelHarness.SETTINGS.withGroups(3),
            List.of(origin),
            WheelHarness.vocabulary(),
            shown -> WheelHarness.detokenizer(),
            () -> 0,
            null);
    int[] left = {3 + random.nextInt(25)}; // frames until one is forged
    for (String name : List.of("o", "a", "b")) {
      net.join(
          name,
          frame -> {
            ByteBuffer given =
                --left[0] == 0
                    ? ByteBuffer.wrap(ForgedFrames.anyBit(frame.array(), random))
                    : frame;
            try {
              switch (name) {
                case "o" -> wheels.receive(0, given);
                case "a" -> a.receive(given);
                default -> b.receive(given);
              }
            } catch (EngineException e) {
              assertThat(left[0]).as(e.getMessage()).isZero();
            }
          });
    }
    List<RecordingListener> recorded = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      int[] prompt = WheelHarness.prompt(random, 3 + random.nextInt(50));
      recorded.add(new RecordingListener());
      recorded.getLast().generation =
          wheels.submit(
              GenerationRequest.of(prompt, WheelHarness.warm(i), 6).ignoringEnd(),
              recorded.getLast());
    }
    int turns = 0;
    while (wheels.turn() || net.step()) {
      wheels.check();
      assertThat(turns++).as("turns without an end").isLessThan(5_000);
    }
    if (wheels.inFlight(0).isEmpty()) {
      assertThat(recorded).allMatch(h -> h.generation.isDone());
    }
  }

  private static PipeProcessor node(FakeNetwork net, String name, int from, int to) {
    var end = name.equals("o") ? WheelHarness.MODEL.end() : null;
    var node = new PipeProcessor(name, List.of(WheelHarness.MODEL.segment(64, from, to)), end, net);
    node.setPlan(PLAN);
    return node;
  }
}
