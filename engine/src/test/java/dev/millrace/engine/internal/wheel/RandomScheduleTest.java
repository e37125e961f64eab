package dev.millrace.engine.internal.wheel;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.engine.api.FinishReason;
import dev.millrace.engine.api.GenerationRequest;
import dev.millrace.engine.api.GenerationResult;
import dev.millrace.engine.internal.wheel.WheelHarness.RecordingListener;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * Random submissions, cancellations, releases and resumptions, with few pages: each sequence gives
 * the same as alone.
 */
class RandomScheduleTest {
  private static final int SEEDS = Boolean.getBoolean("millrace.proof") ? 2000 : 40;
  private static final String[] NODES = {"oooo", "oabb", "aaao", "oaba"};

  /** A request, and what was recorded over all its generations. */
  private static final class Life {
    final GenerationRequest request;
    final int[] expected;
    final StringBuilder text = new StringBuilder();
    RecordingListener recorded;
    boolean cancelled;

    Life(GenerationRequest request, int[] expected) {
      this.request = request;
      this.expected = expected;
    }
  }

  private final Map<Integer, int[]> known = new HashMap<>();
  private long preemptions;
  private long resumed;
  private long reused;

  @Test
  void everySequenceGivesTheSameAsAlone() {
    for (int seed = 0; seed < SEEDS; seed++) {
      try {
        play(seed);
      } catch (Throwable e) {
        throw new AssertionError("seed " + seed + ": " + e.getMessage(), e);
      }
    }
    assertThat(preemptions).isGreaterThan(SEEDS);
    assertThat(resumed).isGreaterThan(SEEDS / 2);
    assertThat(reused).isGreaterThan(SEEDS);
  }

  private void play(int seed) {
    Random random = new Random(seed);
    WheelSettings settings =
        WheelHarness.SETTINGS
            .withPages(7 + random.nextInt(7))
            .withSequences(2 + random.nextInt(7))
            .withRows(8 + random.nextInt(100), 1 + random.nextInt(40))
            .withPrefixReuse(random.nextInt(5) > 0)
            .withGroups(1 + random.nextInt(3));
    WheelHarness harness = WheelHarness.spread(settings, NODES[random.nextInt(NODES.length)], seed);
    List<Life> lives = new ArrayList<>();
    for (int step = 0; step < 120; step++) {
      switch (random.nextInt(10)) {
        case 0, 1, 5 -> lives.add(begin(harness, random));
        case 2 -> requestStop(lives, random);
        case 3, 4 -> harness.net.step();
        default -> harness.turn();
      }
      resume(harness, lives);
    }
    do {
      harness.turnAll();
    } while (resume(harness, lives));
    lives.forEach(life -> check(life));
    assertThat(harness.wheel.stats().pagesUsed()).isZero();
    assertThat(harness.others).allMatch(node -> node.passageCount() == 0);
    preemptions += harness.wheel.stats().preemptions();
    reused += harness.wheel.stats().prefixHits();
  }

  /** One of few prompts, so that prefixes are often equal. */
  private Life begin(WheelHarness harness, Random random) {
    int number = random.nextInt(40);
    Random own = new Random(number);
    int[] prompt = WheelHarness.prompt(new Random(number % 3), 1 + own.nextInt(60));
    GenerationRequest request =
        GenerationRequest.of(prompt, WheelHarness.warm(number), 1 + own.nextInt(140))
            .withInteractive(own.nextInt(3) == 0);
    int[] expected =
        known.computeIfAbsent(
            number, n -> WheelHarness.MODEL.alone(prompt, request.sampling(), request.maxTokens()));
    Life life = new Life(request, expected);
    life.recorded = harness.submit(request);
    return life;
  }

  private static void requestStop(List<Life> lives, Random random) {
    if (!lives.isEmpty()) {
      Life life = lives.get(random.nextInt(lives.size()));
      if (random.nextBoolean()) {
        life.recorded.generation.release();
      } else {
        life.cancelled |= !life.recorded.generation.isDone();
        life.recorded.generation.cancel();
      }
    }
  }

  /** Submits released requests again. */
  private boolean resume(WheelHarness harness, List<Life> lives) {
    boolean any = false;
    for (Life life : lives) {
      if (life.recorded.generation.isDone()
          && life.recorded.result().finish() == FinishReason.RELEASED) {
        life.text.append(life.recorded.text);
        resumed += life.recorded.result().tokens().length > 0 ? 1 : 0;
        life.recorded = harness.submit(life.request.resumedFrom(life.recorded.result().tokens()));
        any = true;
      }
    }
    return any;
  }

  private static void check(Life life) {
    GenerationResult result = life.recorded.result();
    int[] tokens = result.tokens();
    life.text.append(life.recorded.text);
    if (result.finish() == FinishReason.CANCELLED) {
      assertThat(life.cancelled).isTrue();
      assertThat(tokens).isEqualTo(Arrays.copyOf(life.expected, tokens.length));
      assertThat(WheelHarness.spell(tokens)).startsWith(life.text.toString());
    } else {
      assertThat(result.finish()).isIn(FinishReason.STOP, FinishReason.LENGTH);
      assertThat(tokens).isEqualTo(life.expected);
      assertThat(life.text.toString()).isEqualTo(WheelHarness.spell(life.expected));
    }
  }
}
