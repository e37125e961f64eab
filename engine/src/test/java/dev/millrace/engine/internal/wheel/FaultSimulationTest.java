package dev.millrace.engine.internal.wheel;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.engine.api.FinishReason;
import dev.millrace.engine.api.GenerationRequest;
import dev.millrace.engine.api.GenerationResult;
import dev.millrace.engine.api.WheelStats;
import dev.millrace.engine.internal.wheel.WheelHarness.RecordingListener;
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
 * Nodes vanish, plans change, frames are lost, repeated, swapped, damaged and replayed, sequences
 * are cancelled, released, audited and revoked: each sequence that is not cancelled gives the same
 * as alone. If frames are forged as well, it may fail or give something else, but it ends.
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
    RecordingListener recorded;
    boolean cancelled;

    Life(GenerationRequest request, int[] expected, RecordingListener recorded) {
      this.request = request;
      this.expected = expected;
      this.recorded = recorded;
    }
  }

  @Test
  void everySequenceGivesTheSameAsAloneDespiteFaults() {
    playAll(false);
    assertThat(replans).isGreaterThan(5L * SEEDS);
    assertThat(revoked).isGreaterThan(SEEDS / 4);
    assertThat(ended).isGreaterThan(10L * SEEDS);
  }

  @Test
  void everySequenceEndsDespiteForgedFrames() {
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
    RandomAudit audit = new RandomAudit(random);
    FaultSimulation simulation =
        new FaultSimulation(settings, 1 + random.nextInt(3), random, seed % 2 == 0 ? audit : null);
    simulation.storm = true;
    simulation.forging = forging;
    List<Life> lives = new ArrayList<>();
    for (int step = 0; step < 900; step++) {
      switch (random.nextInt(60)) {
        case 0, 1, 2 -> lives.add(begin(simulation, random));
        case 3 -> requestStop(lives, random);
        case 4 -> simulation.replan(random.nextInt(simulation.pipes));
        case 5 -> audit.judge();
        case 6 -> {
          if (random.nextInt(12) == 0) {
            simulation.wheels.revoke(random.nextInt(simulation.pipes), "a node lied");
          }
        }
        default -> {
          simulation.happen();
          simulation.turn();
        }
      }
      resume(simulation, lives);
    }
    finish(simulation, lives, audit);
  }

  private void finish(FaultSimulation simulation, List<Life> lives, RandomAudit audit) {
    do {
      audit.approving = true;
      audit.judge();
      simulation.calm();
    } while (resume(simulation, lives) | simulation.turn());
    if (simulation.forging) {
      lives.forEach(
          life -> failed += life.recorded.result().finish() == FinishReason.FAILED ? 1 : 0);
      forged += simulation.forged;
      simulation.replanAll(); // a node may not have recorded what it was to forget
    } else {
      lives.forEach(FaultSimulationTest::check);
    }
    WheelStats stats = simulation.wheels.stats();
    assertThat(stats.pagesUsed()).isZero();
    assertThat(stats.waiting() + stats.admitted()).isZero();
    assertThat(simulation.passages()).as("passages that nodes keep").isZero();
    assertThat(audit.open).as("passages that the audit hook keeps").isEmpty();
    replans += simulation.replans;
    ended += lives.size();
  }

  /** One of few prompts, so that prefixes are often equal. */
  private Life begin(FaultSimulation simulation, Random random) {
    int number = random.nextInt(40);
    Random own = new Random(number);
    int[] prompt = WheelHarness.prompt(new Random(number % 3), 1 + own.nextInt(70));
    GenerationRequest request =
        GenerationRequest.of(prompt, WheelHarness.warm(number), 1 + own.nextInt(60))
            .withInteractive(own.nextInt(3) == 0);
    int[] expected =
        known.computeIfAbsent(
            number, n -> WheelHarness.MODEL.alone(prompt, request.sampling(), request.maxTokens()));
    return new Life(request, expected, submit(simulation, request));
  }

  private static RecordingListener submit(FaultSimulation simulation, GenerationRequest request) {
    RecordingListener recorded = new RecordingListener();
    recorded.generation = simulation.wheels.submit(request, recorded);
    return recorded;
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

  /** Submits released requests again with their tokens, and revoked ones without. */
  private boolean resume(FaultSimulation simulation, List<Life> lives) {
    boolean any = false;
    for (Life life : lives) {
      GenerationResult result = life.recorded.generation.result().orElse(null);
      if (result != null && result.finish() == FinishReason.RELEASED) {
        life.recorded = submit(simulation, life.request.resumedFrom(result.tokens()));
        any = true;
      } else if (result != null && result.finish() == FinishReason.REVOKED) {
        life.recorded = submit(simulation, life.request);
        revoked++;
        any = true;
      }
    }
    return any;
  }

  private static void check(Life life) {
    GenerationResult result = life.recorded.result();
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

  /** Audits some sequences and gives random or late verdicts. */
  private static final class RandomAudit implements AuditHook {
    private final Random random;
    private final List<Consumer<@Nullable String>> cases = new ArrayList<>();
    private final Map<String, Integer> open = new HashMap<>(); // passage -> positions seen back
    private boolean approving;

    RandomAudit(Random random) {
      this.random = random;
    }

    void judge() {
      cases.forEach(
          verdict -> verdict.accept(approving || random.nextInt(3) > 0 ? null : "it is wrong"));
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
      if (approving) {
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
