package dev.millrace.store.postgres.chaos;

import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.ClaimSignal;
import dev.millrace.core.store.JobException;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.Outcome;
import dev.millrace.core.store.StoreBrokenException;
import dev.millrace.core.store.StoreException;
import dev.millrace.core.task.ClaimKey;
import dev.millrace.core.task.Failure;
import dev.millrace.core.task.OutputChunk;
import dev.millrace.store.postgres.chaos.StoreClient.Answered;
import dev.millrace.store.postgres.chaos.job.JobShape;
import dev.millrace.store.postgres.chaos.job.TaskText;
import dev.millrace.store.postgres.chaos.job.TaskText.Behaviour;
import dev.millrace.store.postgres.chaos.job.WorkerAnswer;
import dev.millrace.store.postgres.chaos.job.WorkerAnswer.Kind;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/**
 * Works on one task as a model does: freezes its terms, journals its tokens, answers. It repeats
 * each call until there is an answer, as nobody else may answer while this server lives.
 */
final class ChaosWorker {
  /** In front of what should never happen. */
  static final String PROBLEM = "!";

  private static final int TOKENS = 5;
  private static final Duration PAUSE = Duration.ofMillis(100);

  private final JobStore store;
  private final Claim claim;
  private final String name;

  ChaosWorker(JobStore store, Claim claim, String name) {
    this.store = store;
    this.claim = claim;
    this.name = name;
  }

  void work() throws InterruptedException {
    say(Kind.CLAIMED, true);
    try {
      requireWholeJournal(claim.journaledTokens());
      if (claim.frozenTerms() == null) {
        untilAnswered(() -> store.freeze(claim, JsonObject.create().put("seed", 7)));
      }
      Behaviour behaviour = TaskText.behaviour(claim.inputText());
      ClaimSignal signal =
          behaviour == Behaviour.HANGS && claim.attempt() == 1 ? hang() : journal();
      if (!signal.isPresent()) {
        return;
      }
      requireWholeJournal(untilAnswered(this::journaled).value());
      if (random().nextInt(40) == 0) {
        submitChild();
      }
      answer(behaviour, signal);
    } catch (JobException e) {
      System.out.println(PROBLEM + "the job of " + claim + " cannot be used: " + e.getMessage());
    }
  }

  private static ThreadLocalRandom random() {
    return ThreadLocalRandom.current();
  }

  private void say(Kind kind, boolean sure) {
    System.out.println(WorkerAnswer.of(kind, claim, name, sure).line());
  }

  /** What was journaled so far has no gap, and nothing twice, whatever a crash has taken. */
  private void requireWholeJournal(List<Integer> tokens) {
    if (!tokens.equals(IntStream.range(0, tokens.size()).boxed().toList())) {
      System.out.println(PROBLEM + "the journal of " + claim + " has the tokens " + tokens);
    }
  }

  /** What others read of it meanwhile. */
  private List<Integer> journaled() {
    ClaimKey key = claim.key();
    return store.outputSoFar(claim.job(), key.stage(), key.task(), 0).pieces().stream()
        .flatMap(chunk -> chunk.tokens().stream())
        .toList();
  }

  private ClaimSignal journal() throws InterruptedException {
    ClaimSignal signal = ClaimSignal.CONTINUE;
    int first = Math.min(TOKENS, claim.journaledTokens().size());
    for (int token = first; token < TOKENS && signal.isPresent(); token++) {
      Thread.sleep(random().nextInt(30, 300)); // the time a model takes
      OutputChunk chunk = new OutputChunk(List.of(token), List.of(token + " "));
      signal = untilAnswered(() -> store.appendJournal(claim, chunk)).value();
    }
    return signal;
  }

  /** Gives signs of life, and no answer, until the task is taken away. */
  private ClaimSignal hang() throws InterruptedException {
    ClaimSignal signal = ClaimSignal.CONTINUE;
    while (signal.isPresent()) {
      Thread.sleep(PAUSE.multipliedBy(10));
      signal = untilAnswered(() -> store.heartbeat(claim, false)).value();
    }
    return signal;
  }

  private void answer(Behaviour behaviour, ClaimSignal signal) throws InterruptedException {
    boolean failsNow =
        behaviour == Behaviour.FAILS || behaviour == Behaviour.FAILS_TWICE && claim.attempt() <= 2;
    if (claim.lease() != null && random().nextInt(10) == 0) {
      return; // a worker that vanishes
    }
    if (signal == ClaimSignal.PAUSE || random().nextInt(15) == 0) {
      report(Kind.RELEASED, untilAnswered(() -> store.release(claim, "another may do it")));
    } else if (failsNow) {
      Failure failure = new Failure("as asked", behaviour == Behaviour.FAILS_TWICE, "partial");
      report(Kind.FAILED, untilAnswered(() -> store.fail(claim, failure)));
    } else {
      report(Kind.COMPLETED, untilAnswered(() -> store.complete(claim, TaskText.result(claim))));
    }
  }

  private void report(Kind kind, Answered<Outcome> answer) {
    if (answer.value().isDone()) {
      say(kind, answer.sure());
    } else if (kind == Kind.COMPLETED) {
      say(Kind.REFUSED, answer.sure());
    }
  }

  /** Its id is of this server's clock, which may be hours away from that of others. */
  private void submitChild() {
    try {
      store.submit(
          JobShape.child(
              "%s%s-%s".formatted(JobShape.CHILD_NAME, claim.job(), claim.key().token())));
      System.out.println("submitted a child of " + claim);
    } catch (StoreBrokenException | StoreException.Closed e) {
      throw e;
    } catch (StoreException e) {
      // it is there or not
    }
  }

  private <T> Answered<T> untilAnswered(Supplier<T> call) throws InterruptedException {
    for (boolean sure = true; ; sure = false) {
      try {
        return new Answered<>(call.get(), sure);
      } catch (StoreBrokenException | StoreException.Closed | JobException e) {
        throw e;
      } catch (StoreException e) {
        Thread.sleep(PAUSE);
      }
    }
  }
}
