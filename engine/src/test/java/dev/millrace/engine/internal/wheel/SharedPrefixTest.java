package dev.millrace.engine.internal.wheel;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.engine.api.FinishReason;
import dev.millrace.engine.api.Generation;
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
 * Bursts of prompts that share prefixes of all lengths, in any order, with few pages and slots,
 * some of them cancelled: each gives the same as without prefix reuse.
 */
class SharedPrefixTest {
  private static final int SEEDS = Boolean.getBoolean("millrace.proof") ? 3000 : 60;
  private static final String[] NODES = {"oooo", "oooo", "oabb", "aaao"};

  private record Life(GenerationRequest request, int number, RecordingListener recorded) {}

  private final Map<Integer, int[]> known = new HashMap<>();
  private long computed;
  private long given;
  private long preemptions;

  @Test
  void everySequenceGivesTheSameAsWithoutReuse() {
    for (int seed = 0; seed < SEEDS; seed++) {
      try {
        play(seed);
      } catch (Throwable e) {
        throw new AssertionError("seed " + seed + ": " + e.getMessage(), e);
      }
    }
    assertThat(preemptions).isGreaterThan(SEEDS / 3);
    assertThat(computed).isLessThan(given * 2 / 3);
  }

  private void play(int seed) {
    Random random = new Random(seed);
    WheelSettings settings =
        WheelHarness.SETTINGS
            .withPages(9 + random.nextInt(14))
            .withSequences(1 + random.nextInt(9))
            .withRows(9 + random.nextInt(150), 1 + random.nextInt(60))
            .withGroups(1 + random.nextInt(3));
    WheelHarness harness = WheelHarness.spread(settings, NODES[random.nextInt(NODES.length)], seed);
    List<Life> lives = new ArrayList<>();
    for (int step = 0; step < 80; step++) {
      switch (random.nextInt(12)) {
        case 0 -> burst(harness, random, lives);
        case 1 -> requestStop(lives, random);
        case 2, 3 -> harness.net.step();
        default -> harness.turn();
      }
    }
    harness.turnAll();
    lives.forEach(this::check);
    assertThat(harness.wheel.stats().pagesUsed()).isZero();
    assertThat(harness.wheel.stats().waiting() + harness.wheel.stats().admitted()).isZero();
    assertThat(harness.others).allMatch(node -> node.passageCount() == 0);
    preemptions += harness.wheel.stats().preemptions();
    computed += harness.wheel.stats().prefillTokens();
  }

  private void burst(WheelHarness harness, Random random, List<Life> lives) {
    int family = random.nextInt(4);
    for (int i = 1 + random.nextInt(6); i > 0; i--) {
      int number = family * 8 + random.nextInt(8);
      GenerationRequest request =
          request(number).withOrder(random.nextInt(3) == 0 ? random.nextInt(9) : 0);
      given += request.prompt().length;
      lives.add(new Life(request, number, harness.submit(request)));
    }
  }

  /** Of eight prompts of a family, each pair has a common prefix of another length. */
  private static GenerationRequest request(int number) {
    Random own = new Random(number);
    int[] prompt = WheelHarness.prompt(new Random(number / 8), 40 + own.nextInt(160));
    int from = 40 * (number % 8 / 2);
    int[] branch = WheelHarness.prompt(new Random(number / 2), 300);
    for (int i = from; i < prompt.length; i++) {
      prompt[i] = branch[i];
    }
    return GenerationRequest.of(prompt, WheelHarness.warm(number), 1 + own.nextInt(88));
  }

  private static void requestStop(List<Life> lives, Random random) {
    if (!lives.isEmpty()) {
      Generation generation = lives.get(random.nextInt(lives.size())).recorded.generation;
      if (random.nextBoolean()) {
        generation.cancel();
      } else {
        generation.release();
      }
    }
  }

  private void check(Life life) {
    int[] expected =
        known.computeIfAbsent(
            life.number,
            n ->
                new WheelHarness(WheelHarness.SETTINGS.withPrefixReuse(false))
                    .submitAndTurn(life.request)
                    .result()
                    .tokens());
    GenerationResult result = life.recorded.result();
    boolean whole = result.finish() == FinishReason.STOP || result.finish() == FinishReason.LENGTH;
    assertThat(whole || result.finish() != FinishReason.FAILED).isTrue();
    assertThat(result.tokens())
        .isEqualTo(whole ? expected : Arrays.copyOf(expected, result.tokens().length));
  }
}
