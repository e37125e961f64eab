package dev.millrace.store.fs.internal.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.ClaimRequest;
import dev.millrace.core.store.Outcome;
import dev.millrace.core.task.ClaimKey;
import dev.millrace.core.task.Failure;
import dev.millrace.core.task.OutputChunk;
import dev.millrace.core.task.TaskEvent;
import dev.millrace.core.task.TaskResult;
import dev.millrace.store.fs.internal.fixture.SimulatedStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Claims tasks and answers; sometimes late, twice, or not at all. */
final class SimulatedWorker implements Runnable {
  private final ActorContext context;
  private final long epoch;
  private long seen;

  /**
   * @param epoch of the store: answers to claims of earlier ones count only with a lease
   */
  SimulatedWorker(ActorContext context, long epoch) {
    this.context = context;
    this.epoch = epoch;
  }

  @Override
  public void run() {
    if (context.oneIn(8)) {
      awaitWork();
    }
    for (Claim claim : claim()) {
      work(claim);
    }
    if (context.oneIn(4) && !context.history.claims.isEmpty()) {
      List<Claim> claims = context.history.claims;
      answer(claims.get(Math.max(0, claims.size() - 1 - context.random.nextInt(10))));
    }
  }

  private void awaitWork() {
    context.ask(
        () -> {
          try {
            return seen =
                context.store.awaitWork(seen, Duration.ofMillis(context.random.nextInt(1, 500)));
          } catch (InterruptedException e) {
            throw new AssertionError(e);
          }
        });
  }

  private List<Claim> claim() {
    Duration lease = context.oneIn(3) ? Duration.ofSeconds(1 + context.random.nextInt(60)) : null;
    boolean tokenless = lease != null && context.oneIn(3);
    ClaimRequest request =
        new ClaimRequest(
            SimulatedStore.TYPES, 1 + context.random.nextInt(3), "w", lease, tokenless);
    List<Claim> claims = context.ask(() -> context.store.claim(request)).orElse(List.of());
    for (Claim claim : claims) {
      JobHistory job = context.history.job(claim.job());
      assertThat(job.claims.put(claim.key(), claim))
          .as("%s of %s is granted once", claim.key(), job)
          .isNull();
      job.certain = true;
      context.history.claims.add(claim);
    }
    if (!claims.isEmpty()) {
      context.faults.acknowledged();
    }
    return claims;
  }

  private void work(Claim claim) {
    if (context.oneIn(2)) {
      freeze(claim);
    }
    for (int i = context.random.nextInt(3); i > 0; i--) {
      OutputChunk chunk = new OutputChunk(List.of(i), "t" + i);
      context.ask(
          () -> context.store.appendJournal(claim, context.oneIn(5) ? OutputChunk.EMPTY : chunk));
    }
    if (context.oneIn(3)) {
      context.ask(() -> context.store.heartbeat(claim, context.oneIn(2)));
    }
    if (context.oneIn(4)) {
      log(claim);
    }
    if (!context.oneIn(8)) {
      answer(claim);
    }
  }

  private void freeze(Claim claim) {
    String text = context.history.unique("terms");
    context
        .ask(() -> context.store.freeze(claim, JsonObject.create().put("text", text)))
        .filter(Outcome::isDone)
        .ifPresent(_ -> pending(claim, text));
  }

  private void log(Claim claim) {
    String line = context.history.unique("line");
    boolean present =
        context
            .ask(() -> context.store.heartbeat(claim, false))
            .filter(it -> it.isPresent())
            .isPresent();
    // Another thread may answer in between; then it is not this claim's next answer.
    if (context.run(() -> context.store.log(claim, "info", line)) && present) {
      context
          .ask(() -> context.store.heartbeat(claim, false))
          .filter(it -> it.isPresent())
          .ifPresent(_ -> pending(claim, line));
    }
  }

  private void pending(Claim claim, String text) {
    context
        .history
        .job(claim.job())
        .pendingLines
        .computeIfAbsent(claim.key(), _ -> new ArrayList<>())
        .add(text);
  }

  private void answer(Claim claim) {
    Claim held =
        claim.tokenless() || context.oneIn(6)
            ? context
                .ask(
                    () ->
                        context.store.findClaim(
                            claim.job(), claim.key().stage(), claim.key().task()))
                .flatMap(it -> it)
                .orElse(claim)
            : claim;
    switch (context.random.nextInt(10)) {
      case 0, 1 ->
          answer(
              held,
              Set.of(TaskEvent.RETRY, TaskEvent.FAIL),
              null,
              () -> context.store.fail(held, Failure.of("broken")));
      case 2 ->
          answer(
              held,
              Set.of(TaskEvent.FAIL),
              null,
              () -> context.store.fail(held, Failure.permanent("hopeless")));
      case 3 ->
          answer(
              held, Set.of(TaskEvent.RELEASE), null, () -> context.store.release(held, "shutdown"));
      default -> {
        String text = context.history.unique("result");
        answer(
            held,
            Set.of(TaskEvent.COMPLETE),
            text,
            () -> context.store.complete(held, TaskResult.of(text)));
      }
    }
  }

  private void answer(
      Claim claim, Set<TaskEvent> events, @Nullable String result, Supplier<Outcome> call) {
    JobHistory job = context.history.job(claim.job());
    ClaimKey key = claim.key();
    List<String> lines = List.copyOf(job.pendingLines.getOrDefault(key, List.of()));
    context
        .ask(call)
        .ifPresent(
            outcome -> {
              if (!outcome.isDone()) {
                if (result != null) {
                  job.refusedResults.add(result);
                }
                return;
              }
              assertThat(claim.lease() == null && key.token().epoch() != epoch)
                  .as("a claim of an earlier owner counts: %s of %s", key, job)
                  .isFalse();
              assertThat(job.answers.put(key, new JobHistory.Answer(events, result)))
                  .as("%s of %s is answered once", key, job)
                  .isNull();
              job.lines.addAll(lines);
              if (result != null) {
                context.faults.acknowledged(job, result);
              } else {
                context.faults.acknowledged();
              }
            });
  }
}
