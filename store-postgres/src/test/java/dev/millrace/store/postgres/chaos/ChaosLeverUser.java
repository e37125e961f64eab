package dev.millrace.store.postgres.chaos;

import dev.millrace.core.Work;
import dev.millrace.core.event.Cause;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobState;
import dev.millrace.core.job.Priority;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.stage.TaskSpec;
import dev.millrace.core.store.JobException;
import dev.millrace.core.store.JobReader;
import dev.millrace.core.store.JobView;
import dev.millrace.core.store.Lever;
import dev.millrace.core.store.Outcome;
import dev.millrace.core.store.RetryRequest;
import dev.millrace.core.store.RetryResult;
import dev.millrace.store.postgres.chaos.StoreClient.Answered;
import dev.millrace.store.postgres.chaos.job.JobHistory;
import dev.millrace.store.postgres.chaos.job.JobHistory.Pulled;
import dev.millrace.store.postgres.chaos.job.JobShape;
import dev.millrace.store.postgres.chaos.job.TaskText.Behaviour;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;

/** Pulls levers of any job, and lets go what waits for a user. */
final class ChaosLeverUser {
  private static final Set<JobState> OPEN =
      Set.of(JobState.CREATED, JobState.PENDING, JobState.IN_PROGRESS, JobState.PAUSED);

  private final ChaosRun run;
  private final String name;
  private final StoreClient client;
  private final SplittableRandom random;
  private int number;

  ChaosLeverUser(ChaosRun run, String name, StoreClient client) {
    this.run = run;
    this.name = name;
    this.client = client;
    this.random = run.random(name);
  }

  void step() throws InterruptedException {
    run.linger(20 + random.nextInt(200));
    JobHistory job = run.history().any(random).orElse(null);
    if (job == null) {
      return;
    }
    if (random.nextInt(15) == 0) {
      retry(job);
    } else if (job.shape() == JobShape.OPEN && random.nextInt(2) == 0) {
      String input = Behaviour.OK.input(name + "-added-" + number);
      pull(job, new Lever.AddTasks(2, List.of(TaskSpec.of(input))));
    } else {
      pull(job, any());
    }
  }

  private Lever any() {
    return switch (random.nextInt(16)) {
      case 0, 1 -> new Lever.Pause();
      case 2, 3, 4, 5 -> new Lever.Resume();
      case 6 -> new Lever.Abort();
      case 7, 8, 9 -> new Lever.Approve(2);
      case 10 -> new Lever.Hold(1 + random.nextInt(2));
      case 11, 12 -> {
        Priority[] all = Priority.values();
        yield new Lever.Prioritize(all[random.nextInt(all.length)]);
      }
      default -> new Lever.Describe(random.nextInt(2), 0, JsonObject.create().put("n", ++number));
    };
  }

  private Outcome pull(JobHistory job, Lever lever) throws InterruptedException {
    String op = name + "-" + ++number;
    Cause cause = Cause.user(name, null).withOp(op);
    Answered<Outcome> answer = client.ask(store -> store.apply(job.id(), lever, cause));
    job.levers().add(new Pulled(op, lever, answer.value()));
    run.history().note(job.id() + " " + op + " " + lever + ": " + answer);
    String verb = lever.getClass().getSimpleName();
    run.history().count(verb + (answer.value().isDone() ? " done" : " refused"));
    return answer.value();
  }

  private void retry(JobHistory job) throws InterruptedException {
    JobId id = Work.generateId();
    JobHistory again = run.history().begin(new JobHistory(id, JobShape.RETRY, null));
    RetryRequest request = RetryRequest.of(job.id()).as(again.id());
    Answered<RetryResult> answer = client.ask(store -> store.retry(request));
    run.history().note(request + ": " + answer);
    boolean done = answer.value().outcome().isDone();
    if (done) {
      again.acknowledge();
    } else if (answer.sure()) {
      run.history().forget(id);
    }
    run.history().count("retry " + (done ? "done" : "refused"));
  }

  /**
   * Resumes and approves what waits for a user.
   *
   * @return the jobs that have not ended
   */
  Set<JobId> letGo() throws InterruptedException {
    List<JobId> open = client.ask(store -> store.list(JobReader.Query.in(OPEN))).value();
    for (JobId id : open) {
      JobHistory job = run.history().job(id);
      if (job != null) {
        letGo(job);
      }
    }
    return Set.copyOf(open);
  }

  private void letGo(JobHistory job) throws InterruptedException {
    try {
      JobView view = client.ask(store -> store.find(job.id())).value().orElse(null);
      if (view == null) {
        return;
      }
      if (view.state() == JobState.PAUSED) {
        pull(job, new Lever.Resume());
      }
      JobView.StageView gate = view.stageAtGate().orElse(null);
      if (gate != null) {
        pull(job, new Lever.Approve(gate.number()));
      }
      boolean grows =
          view.header().open() && view.stages().stream().anyMatch(stage -> stage.total() == 0);
      if (grows) {
        pull(job, new Lever.AddTasks(2, List.of())); // an empty stage of an open job waits
      }
    } catch (JobException e) {
      run.history().problem(e.toString()); // the others may end
    }
  }
}
