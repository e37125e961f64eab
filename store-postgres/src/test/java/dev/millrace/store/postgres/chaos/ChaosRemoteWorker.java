package dev.millrace.store.postgres.chaos;

import dev.millrace.core.store.Claim;
import dev.millrace.core.store.ClaimRequest;
import dev.millrace.core.store.ClaimSignal;
import dev.millrace.core.store.Outcome;
import dev.millrace.core.task.TaskState;
import dev.millrace.store.postgres.chaos.StoreClient.Answered;
import dev.millrace.store.postgres.chaos.job.JobShape;
import dev.millrace.store.postgres.chaos.job.TaskText;
import dev.millrace.store.postgres.chaos.job.WorkerAnswer;
import dev.millrace.store.postgres.chaos.job.WorkerAnswer.Kind;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;

/**
 * A worker on another machine: its claims have leases, each of its calls may reach another server,
 * and sometimes it is late or vanishes.
 */
final class ChaosRemoteWorker {
  private static final Duration LEASE = Duration.ofSeconds(2);

  private final ChaosRun run;
  private final String name;
  private final List<StoreClient> servers;
  private final SplittableRandom random;

  ChaosRemoteWorker(ChaosRun run, String name, List<StoreClient> servers) {
    this.run = run;
    this.name = name;
    this.servers = servers;
    this.random = run.random(name);
  }

  private StoreClient any() {
    return servers.get(random.nextInt(servers.size()));
  }

  void step() throws InterruptedException {
    ClaimRequest request = new ClaimRequest(Set.of(JobShape.REMOTE_WORK), 3, name, LEASE);
    List<Claim> claims = any().ask(store -> store.claim(request)).value();
    if (claims.isEmpty()) {
      run.linger(200);
    }
    for (Claim claim : claims) {
      say(Kind.CLAIMED, claim, true);
    }
    for (Claim claim : claims) {
      work(claim);
    }
  }

  private void say(Kind kind, Claim claim, boolean sure) {
    run.history().add(WorkerAnswer.of(kind, claim, name, sure));
  }

  private void work(Claim claim) throws InterruptedException {
    switch (random.nextInt(12)) {
      case 0 -> {
        return; // it vanishes
      }
      case 1 -> run.linger(LEASE.toMillis() + random.nextInt(2_000)); // it is late
      default -> run.linger(random.nextInt(200));
    }
    ClaimSignal signal = any().ask(store -> store.heartbeat(claim, true)).value();
    if (!signal.isPresent()) {
      return;
    }
    Answered<Outcome> answer = any().ask(store -> store.complete(claim, TaskText.result(claim)));
    say(answer.value().isDone() ? Kind.COMPLETED : Kind.REFUSED, claim, answer.sure());
    if (answer.value().isDone() && random.nextInt(5) == 0) {
      requireSeen(claim);
    }
  }

  /** Every server knows at once what was acknowledged. */
  private void requireSeen(Claim claim) throws InterruptedException {
    TaskState state =
        any()
            .ask(store -> store.task(claim.job(), claim.key().stage(), claim.key().task()))
            .value()
            .map(task -> task.state())
            .orElse(TaskState.COMPLETED); // it was deleted in the meantime
    if (state != TaskState.COMPLETED) {
      run.history()
          .problem(name + ": " + claim + " is completed, and another server says " + state);
    }
  }
}
