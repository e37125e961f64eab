package dev.millrace.core.store.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobState;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.ClaimRequest;
import dev.millrace.core.store.Outcome;
import dev.millrace.core.task.Failure;
import dev.millrace.core.task.TaskResult;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Many workers and users at once: each task is claimed by one worker and ends once. */
abstract class ConcurrencyContract extends ContractCase {
  private static final int THREADS = 8;

  private void inParallel(Callable<Void> body) throws Exception {
    try (ExecutorService pool = Executors.newFixedThreadPool(THREADS)) {
      List<Future<Void>> all = new ArrayList<>();
      for (int i = 0; i < THREADS; i++) {
        all.add(pool.submit(body));
      }
      for (Future<Void> each : all) {
        each.get();
      }
    }
  }

  private List<Claim> claimAs(String worker, int limit) {
    return store.claim(new ClaimRequest(Set.of("a"), limit, worker, null));
  }

  @Test
  void noTaskIsClaimedTwice() throws Exception {
    List<JobId> ids = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      ids.add(submit(ContractJobs.tasks("a", 500)));
    }
    Set<String> given = ConcurrentHashMap.newKeySet();
    inParallel(
        () -> {
          String worker = Thread.currentThread().getName();
          for (List<Claim> some = claimAs(worker, 16);
              !some.isEmpty();
              some = claimAs(worker, 16)) {
            for (Claim claim : some) {
              assertThat(given.add(claim.toString())).as("%s is given once", claim).isTrue();
              complete(claim, claim.inputText());
            }
          }
          return null;
        });
    assertThat(given).hasSize(2_000);
    for (JobId id : ids) {
      assertThat(state(id)).isEqualTo(JobState.COMPLETED);
      assertThat(store.tasks(id, 1, 1, 1_000))
          .hasSize(500)
          .allSatisfy(task -> assertThat(task.result().text()).isEqualTo(task.input()));
    }
  }

  @Test
  void ofManyAnswersToOneClaimOneCounts() throws Exception {
    JobId id = submit(ContractJobs.with(ContractJobs.attempts(9), ContractJobs.tasks("a", 50)));
    List<Claim> claims = claim(50, "a");
    AtomicInteger taken = new AtomicInteger();
    AtomicInteger thread = new AtomicInteger();
    inParallel(
        () -> {
          int kind = thread.getAndIncrement() % 3;
          for (Claim claim : claims) {
            Outcome outcome =
                switch (kind) {
                  case 0 -> store.complete(claim, TaskResult.of("x"));
                  case 1 -> store.fail(claim, Failure.of("x"));
                  default -> store.release(claim, "x");
                };
            taken.addAndGet(outcome.isDone() ? 1 : 0);
          }
          return null;
        });
    assertThat(taken).hasValue(50);
    assertThat(view(id).stages().getFirst().total()).isEqualTo(50);
  }

  @Test
  void workContinuesWhileUsersPauseAndResume() throws Exception {
    List<JobId> ids = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      ids.add(submit(ContractJobs.tasks("a", 40), ContractJobs.each("a", "{{result}}")));
    }
    long seed = 20260301;
    AtomicInteger thread = new AtomicInteger();
    inParallel(
        () -> {
          int number = thread.getAndIncrement();
          SplittableRandom random = new SplittableRandom(seed + number);
          for (int i = 0; i < 60; i++) {
            JobId id = ids.get(random.nextInt(ids.size()));
            if (number < 2) {
              if (random.nextBoolean()) {
                store.pause(id, ANNA);
              } else {
                store.resume(id, ANNA);
              }
            } else {
              answerSome(random);
            }
          }
          return null;
        });
    ids.forEach(id -> store.resume(id, ANNA));
    workOff("a");
    assertThat(ids).allSatisfy(id -> assertThat(state(id)).isEqualTo(JobState.COMPLETED));
  }

  private void answerSome(SplittableRandom random) {
    for (Claim claim : claim(1 + random.nextInt(4), "a")) {
      Outcome outcome =
          random.nextInt(4) == 0
              ? store.release(claim, "shutdown")
              : store.complete(claim, TaskResult.of(claim.inputText()));
      assertThat(outcome).isEqualTo(Outcome.DONE);
    }
  }
}
