package dev.millrace.engine.internal.wheel;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.engine.api.FinishReason;
import dev.millrace.engine.api.GenerationRequest;
import dev.millrace.engine.api.GenerationResult;
import dev.millrace.engine.api.WheelStats;
import dev.millrace.engine.internal.wheel.WheelHarness.Heard;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Nodes vanish, plans change, frames are lost, repeated, swapped, spoilt and replayed, sequences
 * are cancelled, released, examined and revoked: each that is not cancelled gives what it gives
 * alone. Where frames are forged as well, it may fail or give something else, but it ends.
 */
@Timeout(600)
class FaultSimulationTest {
  private static final int SEEDS = Boolean.getBoolean("millrace.proof") ? 3000 : 40;

  private final Map<Integer, int[]> known = new HashMap<>();
  private long replans;
  private long revoked;
  private long ended;
  private long forged;
  private long failed;

  /** A request, through all its generations. */
  private static final class Life {
    final GenerationRequest request;
    final int[] expected;
    Heard heard;
    boolean cancelled;

    Life(GenerationRequest request, int[] expected, Heard heard) {
      this.request = request;
      this.expected = expected;
      this.heard = heard;
    }
  }

  @Test
  void whateverHappensOnTheWayEachGivesWhatItGivesAlone() {
    playAll(false);
    assertThat(replans).isGreaterThan(5L * SEEDS);
    assertThat(revoked).isGreaterThan(SEEDS / 4);
    assertThat(ended).isGreaterThan(10L * SEEDS);
  }

  @Test
  void whateverIsForgedOnTheWayEachEnds() {
    playAll(true);
    assertThat(ended).isGreaterThan(10L * SEEDS);
    assertThat(forged).isGreaterThan(10L * SEEDS);
    assertThat(failed).as("of %d", ended).isBetween(SEEDS / 20L, ended / 2);
  }

  private void playAll(boolean forging) {
    for (int seed = 0; seed < SEEDS; seed++) {
      try {
        play(seed, forging);
      } catch (Throwable e) {
        throw new AssertionError("seed " + seed + ": " + e.getMessage(), e);
      }
    }
  }

  private void play(int seed, boolean forging) {
    Random random = new Random(seed);
    WheelSettings settings =
        WheelHarness.SETTINGS
            .withPages(8 + random.nextInt(12))
            .withSequences(2 + random.nextInt(7))
            .withRows(8 + random.nextInt(100), 1 + random.nextInt(40))
            .withPrefixReuse(random.nextInt(5) > 0)
            .withGroups(1 + random.nextInt(4));
    Court court = new Court(random);
    FaultSimulation weather =
        new FaultSimulation(settings, 1 + random.nextInt(3), random, seed % 2 == 0 ? court : null);
    weather.storm = true;
    weather.forging = forging;
    List<Life> lives = new ArrayList<>();
    for (int step = 0; step < 900; step++) {
      switch (random.nextInt(60)) {
        case 0, 1, 2 -> lives.add(begin(weather, random));
        case 3 -> wish(lives, random);
        case 4 -> weather.replan(random.nextInt(weather.pipes));
        case 5 -> court.judge();
        case 6 -> {
          if (random.nextInt(12) == 0) {
            weather.wheels.revoke(random.nextInt(weather.pipes), "a node lied");
          }
        }
        default -> {
          weather.happen();
          weather.turn();
        }
      }
      resume(weather, lives);
    }
    finish(weather, lives, court);
  }

  private void finish(FaultSimulation weather, List<Life> lives, Court court) {
    do {
      court.acquitting = true;
      court.judge();
      weather.calm();
    } while (resume(weather, lives) | weather.turn());
    if (weather.forging) {
      lives.forEach(life -> failed += life.heard.result().finish() == FinishReason.FAILED ? 1 : 0);
      forged += weather.forged;
      weather.replanAll(); // a node may not have heard what it was to forget
    } else {
      lives.forEach(FaultSimulationTest::check);
    }
    WheelStats stats = weather.wheels.stats();
    assertThat(stats.pagesUsed()).isZero();
    assertThat(stats.waiting() + stats.admitted()).isZero();
    assertThat(weather.passages()).as("passages that nodes keep").isZero();
    assertThat(court.open).as("passages that the examiner keeps").isEmpty();
    replans += weather.replans;
    ended += lives.size();
  }

  /** One of few prompts, so that beginnings are often equal. */
  private Life begin(FaultSimulation weather, Random random) {
    int number = random.nextInt(40);
    Random own = new Random(number);
    int[] prompt = WheelHarness.prompt(new Random(number % 3), 1 + own.nextInt(70));
    GenerationRequest request =
        GenerationRequest.of(prompt, WheelHarness.warm(number), 1 + own.nextInt(60));
    int[] expected =
        known.computeIfAbsent(
            number, n -> WheelHarness.MODEL.alone(prompt, request.sampling(), request.maxTokens()));
    return new Life(request, expected, submit(weather, request));
  }

  private static Heard submit(FaultSimulation weather, GenerationRequest request) {
    Heard heard = new Heard();
    heard.generation = weather.wheels.submit(request, heard);
    return heard;
  }

  private static void wish(List<Life> lives, Random random) {
    if (!lives.isEmpty()) {
      Life life = lives.get(random.nextInt(lives.size()));
      if (random.nextBoolean()) {
        life.heard.generation.release();
      } else {
        life.cancelled |= !life.heard.generation.isDone();
        life.heard.generation.cancel();
      }
    }
  }

  /** Submits again who was released, with its tokens, and who was revoked, without. */
  private boolean resume(FaultSimulation weather, List<Life> lives) {
    boolean any = false;
    for (Life life : lives) {
      GenerationResult result = life.heard.generation.result().orElse(null);
      if (result != null && result.finish() == FinishReason.RELEASED) {
        life.heard = submit(weather, life.request.resumedFrom(result.tokens()));
        any = true;
      } else if (result != null && result.finish() == FinishReason.REVOKED) {
        life.heard = submit(weather, life.request);
        revoked++;
        any = true;
      }
    }
    return any;
  }

  private static void check(Life life) {
    GenerationResult result = life.heard.result();
    int[] tokens = result.tokens();
    if (result.finish() == FinishReason.CANCELLED) {
      assertThat(life.cancelled).isTrue();
      assertThat(tokens).isEqualTo(Arrays.copyOf(life.expected, tokens.length));
    } else {
      assertThat(result.finish()).as(result.reason()).isIn(FinishReason.STOP, FinishReason.LENGTH);
      assertThat(tokens).isEqualTo(life.expected);
      assertThat(result.text()).isEqualTo(WheelHarness.spell(life.expected));
    }
  }

  /** Chooses some and judges them by lot, or late. */
  private static final class Court implements AuditHook {
    private final Random random;
    private final List<Consumer<@Nullable String>> cases = new ArrayList<>();
    private final Map<String, Integer> open = new HashMap<>(); // passage -> positions seen back
    private boolean acquitting;

    Court(Random random) {
      this.random = random;
    }

    void judge() {
      cases.forEach(
          verdict -> verdict.accept(acquitting || random.nextInt(3) > 0 ? null : "it is wrong"));
      cases.clear();
    }

    @Override
    public boolean shouldAudit(long arrival) {
      return arrival % 3 == 0;
    }

    @Override
    public void rowSent(int pipe, long passage, int position, float[] hidden, int offset) {
      open.putIfAbsent(pipe + "/" + passage, -1);
    }

    @Override
    public void rowReturned(int pipe, long passage, int position, float[] hidden, int offset) {
      open.put(pipe + "/" + passage, position);
    }

    @Override
    public void sequenceEnded(
        int pipe, long epoch, long passage, int positions, Consumer<@Nullable String> verdict) {
      Integer last = open.remove(pipe + "/" + passage);
      assertThat(last == null || last == positions - 1).as("all rows came back").isTrue();
      if (acquitting) {
        verdict.accept(null);
      } else {
        cases.add(verdict);
      }
    }

    @Override
    public void sequenceDropped(int pipe, long passage) {
      open.remove(pipe + "/" + passage);
    }
  }
}
