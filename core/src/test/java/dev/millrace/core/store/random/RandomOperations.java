package dev.millrace.core.store.random;

import dev.millrace.core.event.Cause;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.job.JobState;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.ClaimRequest;
import dev.millrace.core.store.JobReader;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.fixture.ManualClock;
import dev.millrace.core.store.fixture.StoreFixture;
import dev.millrace.core.store.random.StorePair.Side;
import dev.millrace.core.task.Failure;
import dev.millrace.core.task.OutputChunk;
import dev.millrace.core.task.TaskResult;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.BiFunction;
import java.util.function.Function;

/**
 * Runs one sequence of random operations on two stores with the same clock and ids. After every
 * step both must have returned and must show the same. The seed repeats a run exactly.
 */
public final class RandomOperations {
  /** Steps between two scans; what is not counted in between must be found by a pass. */
  private static final int COUNT_INTERVAL = 100;

  private final SplittableRandom random;
  private final ManualClock clock;
  private final StorePair pair;
  private final Side a;
  private final Side b;
  private final RandomChanges changes;
  private final StoreComparison comparison = new StoreComparison();
  private final List<JobId> ids = new ArrayList<>();
  private final Set<JobId> touched = new LinkedHashSet<>();

  /** Whether the step's change is durable only with the next answer. */
  private boolean soft;

  private RandomOperations(long seed, StoreFixture a, StoreFixture b) {
    this.random = new SplittableRandom(seed);
    this.pair = new StorePair(a, b);
    this.clock = pair.clock;
    this.a = pair.a;
    this.b = pair.b;
    this.changes = new RandomChanges(random, pair, ids, touched);
  }

  /**
   * Runs {@code steps} operations on both stores.
   *
   * @throws AssertionError with the seed, the step, the last operations and the difference
   */
  public static void compare(long seed, int steps, StoreFixture a, StoreFixture b) {
    RandomOperations run = new RandomOperations(seed, a, b);
    for (int step = 1; step <= steps; step++) {
      try {
        run.step();
        if (step % COUNT_INTERVAL == 0) {
          run.requireCounted();
        }
      } catch (AssertionError | RuntimeException e) {
        run.close(); // threads of these stores would write to the logs of later tests
        throw new AssertionError(
            "seed "
                + seed
                + ", step "
                + step
                + ": the stores differ\n  "
                + String.join("\n  ", run.pair.trace)
                + "\n"
                + e.getMessage(),
            e);
      }
    }
    run.comparison.requireSameStore(run.a.store, run.b.store);
    run.requireCounted();
    run.close();
  }

  private void close() {
    a.store.close();
    b.store.close();
  }

  private void requireCounted() {
    StatusCountsCheck.requireCounted(a.store);
    StatusCountsCheck.requireCounted(b.store);
  }

  private void step() {
    touched.clear();
    soft = false;
    int dice = random.nextInt(126);
    if (dice < 12 || ids.isEmpty()) {
      submit();
    } else if (dice >= 120) {
      changes.retry();
    } else if (dice >= 108) {
      changes.grow();
    } else if (dice >= 104) {
      changes.amend();
    } else if (dice >= 100) {
      changes.keep();
    } else if (dice < 36) {
      claim();
    } else if (dice < 66) {
      answer();
    } else if (dice < 81) {
      lever();
    } else if (dice < 90) {
      tick();
    } else if (dice < 94) {
      sweep();
    } else if (dice < 96) {
      reopen();
    } else if (dice < 98) {
      prune();
    } else {
      read();
    }
    pair.requireTold(soft);
    touched.forEach(id -> comparison.requireSameJob(id, a.store, b.store));
  }

  private void submit() {
    JobSpec spec = RandomJobSpecs.next(random, ids);
    if (random.nextInt(4) == 0) {
      changes.submitAs(spec);
      return;
    }
    JobId id = pair.same("submit " + spec, side -> side.store.submit(spec));
    ids.add(id);
    touched.add(id);
  }

  private void claim() {
    Set<String> types = new HashSet<>(RandomJobSpecs.TYPES);
    types.removeIf(type -> random.nextInt(4) == 0);
    Duration lease = random.nextBoolean() ? null : Duration.ofMillis(1 + random.nextInt(120_000));
    boolean tokenless = lease != null && random.nextInt(3) == 0;
    ClaimRequest request =
        new ClaimRequest(
            types, 1 + random.nextInt(5), "worker " + random.nextInt(3), lease, tokenless);
    List<Claim> claims =
        pair.same(
            "claim " + request,
            side -> {
              List<Claim> given = side.store.claim(request);
              side.claims.addAll(given);
              return given;
            },
            given -> given.stream().map(StoreComparison::facts).toList());
    claims.forEach(claim -> touched.add(claim.job()));
  }

  private void answer() {
    if (a.claims.isEmpty()) {
      return;
    }
    int size = a.claims.size();
    int index =
        random.nextInt(3) == 0
            ? random.nextInt(size)
            : size - 1 - random.nextInt(Math.min(5, size));
    Claim claim = a.claims.get(index);
    touched.add(claim.job());
    String on = " " + claim + " (claim " + index + ")";
    String text = random.nextInt(4) == 0 ? "{\"name\":\"n" + index + "\"}" : "result " + index;
    JsonObject receipt = random.nextBoolean() ? null : JsonObject.create().put("n", index);
    TaskResult result = new TaskResult(TaskResult.Kind.RESULT, text, receipt);
    int verb = random.nextInt(15);
    soft = verb >= 8;
    switch (verb) {
      case 0, 1, 2, 3 -> verdict("complete" + on, index, (store, it) -> store.complete(it, result));
      case 4 ->
          verdict(
              "embed" + on,
              index,
              (store, it) ->
                  store.complete(it, new TaskResult(TaskResult.Kind.EMBEDDING, "[0.5]")));
      case 5 -> {
        Failure failure = Failure.of("broken").withPartial(text, receipt);
        verdict("fail" + on, index, (store, it) -> store.fail(it, failure));
      }
      case 6 ->
          verdict(
              "fail for good" + on,
              index,
              (store, it) -> store.fail(it, Failure.permanent("hopeless")));
      case 7 -> verdict("release" + on, index, (store, it) -> store.release(it, "shutdown"));
      case 8 -> {
        boolean progress = random.nextBoolean();
        pair.same(
            "heartbeat " + progress + on,
            side -> side.store.heartbeat(side.claims.get(index), progress));
      }
      case 9, 10 -> {
        JsonObject terms = JsonObject.create().put("index", index).put("text", text);
        verdict("freeze" + on, index, (store, it) -> store.freeze(it, terms));
      }
      case 11, 12, 13 -> {
        OutputChunk piece = new OutputChunk(List.of(index, random.nextInt()), text);
        pair.same(
            "journal " + piece + on,
            side -> side.store.appendJournal(side.claims.get(index), piece));
      }
      default ->
          pair.same(
              "log" + on,
              side -> {
                side.store.log(side.claims.get(index), "info", text);
                return true;
              });
    }
  }

  private void verdict(String name, int index, BiFunction<JobStore, Claim, Object> act) {
    pair.same(name, side -> act.apply(side.store, side.claims.get(index)), Object::getClass);
  }

  private void lever() {
    JobId id = random.nextInt(40) == 0 ? new JobId("1_2_3") : changes.recent();
    touched.add(id);
    int stage = random.nextInt(5);
    Cause cause = Cause.user("user", random.nextBoolean() ? "comment" : null);
    switch (random.nextInt(11)) {
      case 0, 1 -> lever("pause " + id, store -> store.pause(id, cause));
      case 2, 3, 4 -> lever("resume " + id, store -> store.resume(id, cause));
      case 5 -> lever("abort " + id, store -> store.abort(id, cause));
      case 6, 7, 8, 9 ->
          lever("approve " + id + "/" + stage, store -> store.approve(id, stage, cause));
      default -> lever("hold " + id + "/" + stage, store -> store.hold(id, stage, cause));
    }
  }

  private void lever(String name, Function<JobStore, Object> act) {
    pair.same(name, side -> act.apply(side.store), Object::getClass);
  }

  private void tick() {
    switch (random.nextInt(12)) {
      case 0 -> jump(-random.nextLong(7_200_000));
      case 1 -> jump(random.nextLong(7_200_000));
      case 2 -> clock.advance(Duration.ofMillis(random.nextLong(7_200_000)));
      case 3, 4, 5 -> clock.advance(Duration.ofMillis(random.nextLong(100_000)));
      default -> clock.advance(Duration.ofMillis(random.nextLong(2_500)));
    }
  }

  private void jump(long millis) {
    if (a.fixture.isOneProcess() && b.fixture.isOneProcess()) {
      clock.jump(Duration.ofMillis(millis));
    }
  }

  private void sweep() {
    pair.same("sweep", side -> side.store.sweep());
    touched.addAll(ids);
  }

  private void reopen() {
    boolean crash = random.nextBoolean();
    pair.same(
        crash ? "crash" : "close",
        side -> {
          if (crash) {
            side.fixture.abandon(side.store);
          } else {
            side.store.close();
          }
          side.open();
          return true;
        });
    comparison.requireSameQueueStats(a.store, b.store);
    comparison.requireSameStore(a.store, b.store);
  }

  private void prune() {
    Instant before = clock.instant().minusMillis(random.nextLong(200_000));
    Set<JobState> states = EnumSet.allOf(JobState.class);
    states.removeIf(state -> random.nextBoolean());
    pair.same("prune " + before + " " + states, side -> side.store.prune(before, states));
    touched.addAll(ids);
  }

  private String part(JobId id) {
    int from = random.nextInt(id.value().length() - 3);
    return id.value().substring(from, from + 4);
  }

  private void read() {
    Set<JobState> states = EnumSet.allOf(JobState.class);
    states.removeIf(state -> random.nextInt(4) == 0);
    JobReader.Query query =
        new JobReader.Query(
            states,
            random.nextBoolean() ? null : RandomJobSpecs.TAGS.get(random.nextInt(3)),
            random.nextBoolean() ? null : ids.get(random.nextInt(ids.size())),
            random.nextBoolean(),
            random.nextInt(10),
            random.nextBoolean() ? null : ids.get(random.nextInt(ids.size())),
            random.nextInt(3) > 0 ? null : part(ids.get(random.nextInt(ids.size()))),
            random.nextInt(4) == 0,
            null);
    pair.same("list " + query, side -> side.store.list(query), Collection::toString);
    JobId id = ids.get(random.nextInt(ids.size()));
    int from = random.nextInt(1, 4);
    pair.same(
        "tasks " + id + " from " + from,
        side ->
            side.store.tasks(id, 1, from, 2).stream().map(StoreComparison::comparable).toList());
    int stage = random.nextInt(4);
    int task = random.nextInt(4);
    String at = " " + id + "/" + stage + "/" + task;
    pair.same(
        "task" + at, side -> side.store.task(id, stage, task).map(StoreComparison::comparable));
    pair.same(
        "held" + at, side -> side.store.findClaim(id, stage, task).map(StoreComparison::facts));
    if (!a.claims.isEmpty()) {
      Claim last = a.claims.getLast();
      pair.same(
          "held " + last,
          side ->
              side.store
                  .findClaim(last.job(), last.key().stage(), last.key().task())
                  .map(StoreComparison::facts));
    }
    pair.same("idle", side -> side.store.isIdle(Set.of("generate", "embed")));
  }
}
