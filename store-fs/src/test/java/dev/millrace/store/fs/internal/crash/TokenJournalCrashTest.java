package dev.millrace.store.fs.internal.crash;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobState;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.Outcome;
import dev.millrace.core.store.fixture.ManualClock;
import dev.millrace.core.task.OutputChunk;
import dev.millrace.store.fs.internal.disk.SimDisk;
import dev.millrace.store.fs.internal.disk.SimDisk.Cut;
import dev.millrace.store.fs.internal.disk.SimDisk.Stopped;
import dev.millrace.store.fs.internal.disk.SimFiles.Loss;
import dev.millrace.store.fs.internal.files.EventLog;
import dev.millrace.store.fs.internal.fixture.SimulatedStore;
import dev.millrace.store.fs.internal.fixture.TestJobSpecs;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Runs of a store whose tasks freeze terms and journal, each ended by a kill or a power loss at any
 * operation. Tokens tell under which terms and at which position they were made: what the next run
 * resumes from must be a prefix, in complete chunks, of what was made under its terms.
 */
@Tag("slow")
class TokenJournalCrashTest {
  private static final int RUNS = Boolean.getBoolean("millrace.proof") ? 20_000 : 400;
  private static final int LIVES = 6;
  private static final long SEED = Long.getLong("millrace.seed", System.nanoTime());
  private static final Logger LOG = Logger.getLogger("dev.millrace.store");

  private int terms;
  private int resumed;
  private int lost;

  @BeforeAll
  static void captureTheLog() {
    LOG.setLevel(Level.OFF);
  }

  @AfterAll
  static void letItSpeak() {
    LOG.setLevel(null);
  }

  @Test
  void resumedTokensAreAPrefixUnderTheSameTerms() {
    for (int run = 0; run < RUNS; run++) {
      long seed = SEED + run;
      try {
        lives(new SplittableRandom(seed));
      } catch (AssertionError | RuntimeException e) {
        throw new AssertionError("seed " + seed + ": " + e.getMessage(), e);
      }
    }
    System.out.println(
        "TokenJournalCrashTest: resumed " + resumed + ", lost " + lost + ", seed " + SEED);
    assertThat(resumed).as("claims that resumed from tokens").isGreaterThan(RUNS / 2);
  }

  private void lives(SplittableRandom random) {
    terms = 0;
    SimulatedStore rig = SimulatedStore.fresh(random.nextBoolean());
    JobId plain =
        rig.submit(TestJobSpecs.with(TestJobSpecs.indestructible(), TestJobSpecs.plain("x")));
    rig.submit(
        TestJobSpecs.with(
            TestJobSpecs.indestructible(),
            TestJobSpecs.job(TestJobSpecs.stage("a", "one", "two"))));
    for (int life = 0; life < LIVES; life++) {
      rig.disk.stopAt(rig.disk.operations() + 1 + random.nextInt(60), cut(random));
      try {
        work(rig, plain, random);
      } catch (Stopped e) {
        // expected
      }
      rig =
          new SimulatedStore(next(rig.disk, random), rig.clock.instant().plusSeconds(1), 8 + life);
    }
    if (rig.store.state(plain).orElseThrow() == JobState.PAUSED) {
      rig.resume(plain);
    }
    List<Claim> claims = rig.claim(10);
    claims.forEach(this::check);
    claims.forEach(rig::complete);
    assertThat(rig.store.outputSoFar(plain, 1, 1, 0).pieces()).isEmpty();
  }

  private static Cut cut(SplittableRandom random) {
    return Cut.values()[random.nextInt(Cut.values().length)];
  }

  private static SimDisk next(SimDisk disk, SplittableRandom random) {
    disk.stopAt(0, Cut.BEFORE);
    return random.nextInt(3) == 0
        ? disk.afterKill()
        : disk.afterPowerLoss(Loss.values()[random.nextInt(Loss.values().length)], random);
  }

  /** Claims, freezes, journals, releases, pauses and resumes until the disk stops. */
  private void work(SimulatedStore rig, JobId plain, SplittableRandom random) {
    List<Running> running = new ArrayList<>();
    if (rig.store.state(plain).orElseThrow() == JobState.PAUSED) {
      rig.resume(plain);
    }
    for (int step = 0; step < 100; step++) {
      if (running.isEmpty()) {
        rig.claim(10).forEach(claim -> running.add(new Running(claim)));
      }
      running.forEach(task -> task.check(rig));
      if (running.isEmpty()) {
        return;
      }
      Running task = running.get(random.nextInt(running.size()));
      switch (random.nextInt(12)) {
        case 0 -> task.freeze(rig);
        case 1 -> {
          rig.release(task.claim);
          running.remove(task);
        }
        case 2 -> {
          rig.pause(plain);
          rig.resume(plain);
        }
        default -> task.journal(rig);
      }
    }
  }

  /** Checks for complete chunks: chunk number k has k % 3 + 1 tokens. */
  private static boolean isBoundary(int tokens) {
    int sum = 0;
    for (int k = 0; sum < tokens; k++) {
      sum += k % 3 + 1;
    }
    return sum == tokens;
  }

  private int check(Claim claim) {
    JsonObject frozen = claim.frozenTerms();
    if (frozen == null) {
      assertThat(claim.journaledTokens()).as("without terms").isEmpty();
      return 0;
    }
    int id = (int) frozen.integer("id");
    for (int i = 0; i < claim.journaledTokens().size(); i++) {
      assertThat(claim.journaledTokens().get(i))
          .as("token %s under terms %s", i, id)
          .isEqualTo(token(id, i));
    }
    assertThat(isBoundary(claim.journaledTokens().size())).as("whole pieces").isTrue();
    resumed += claim.journaledTokens().isEmpty() ? 0 : 1;
    lost += claim.journaledTokens().isEmpty() ? 1 : 0;
    return id;
  }

  private static int token(int id, int position) {
    return id * 100_000 + position;
  }

  /** A worker's side of a claim. */
  private final class Running {
    private final Claim claim;
    private int id;
    private int made;

    Running(Claim claim) {
      this.claim = claim;
      this.id = TokenJournalCrashTest.this.check(claim);
      this.made = claim.journaledTokens().size();
    }

    void freeze(SimulatedStore rig) {
      id = ++terms;
      made = 0;
      assertThat(rig.store.freeze(claim, JsonObject.create().put("id", id)))
          .isEqualTo(Outcome.DONE);
    }

    void journal(SimulatedStore rig) {
      if (id == 0) {
        freeze(rig);
      }
      int number = 0;
      for (int sum = 0; sum < made; number++) {
        sum += number % 3 + 1;
      }
      List<Integer> tokens = new ArrayList<>();
      for (int i = 0; i <= number % 3; i++) {
        tokens.add(token(id, made + i));
      }
      rig.store.appendJournal(claim, new OutputChunk(tokens, "t".repeat(tokens.size())));
      made += tokens.size();
    }

    /** A reader sees all of it at once. */
    void check(SimulatedStore rig) {
      int stage = claim.key().stage();
      int text = rig.store.outputSoFar(claim.job(), stage, claim.key().task(), 0).text().length();
      assertThat(text).as("what a reader sees").isEqualTo(made);
    }
  }

  @Test
  void tokensOfOtherTermsAreNeverResumed() {
    for (Loss loss : Loss.values()) {
      for (int i = 0; i < 200; i++) {
        SplittableRandom random = new SplittableRandom(SEED + i);
        SimulatedStore rig = new SimulatedStore(new SimDisk(), ManualClock.START, 7);
        rig.submit(TestJobSpecs.plain("x"));
        Running first = new Running(rig.claim(1).getFirst());
        first.journal(rig);
        rig.release(first.claim); // all of that may be durable now
        Running second = new Running(rig.claim(1).getFirst());
        second.journal(rig);
        second.freeze(rig); // and this may not
        second.journal(rig);
        Instant now = rig.clock.instant();
        SimulatedStore next = new SimulatedStore(rig.disk.afterPowerLoss(loss, random), now, 8);
        new Running(next.claim(1).getFirst()).check(next);
      }
    }
  }

  @Test
  void anEntryOfTheSameNumberInAnotherEpochIsDifferent() throws IOException {
    SimulatedStore rig = SimulatedStore.fresh();
    JobId id = rig.submit(TestJobSpecs.plain("x"));
    Claim first = rig.claim(1).getFirst();
    Path log = SimulatedStore.PLACES.of(JobState.IN_PROGRESS, id).resolve(EventLog.FILE);
    long synced = rig.disk.size(log);
    rig.store.log(first, "info", "as many entries");
    rig.store.log(first, "info", "as the next life needs");
    rig.store.freeze(first, JsonObject.create().put("id", 1));
    rig.store.appendJournal(first, new OutputChunk(List.of(token(1, 0)), "t"));
    long number = rig.store.events(id, 0, 100).getLast().number();

    SimDisk found = rig.disk.afterKill();
    found.truncate(log, synced); // the power loss took the log's end and left the journal
    SimulatedStore next = new SimulatedStore(found, rig.clock.instant(), 8);
    Claim second = next.claim(1).getFirst();
    next.store.freeze(second, JsonObject.create().put("id", 2));
    assertThat(next.store.events(id, 0, 100).getLast().number()).isEqualTo(number);
    next.release(second);
    assertThat(next.claim(1).getFirst().journaledTokens()).isEmpty();
  }
}
