package dev.millrace.store.postgres.chaos;

import dev.millrace.core.Work;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.job.JobState;
import dev.millrace.store.postgres.chaos.StoreClient.Answered;
import dev.millrace.store.postgres.chaos.job.JobHistory;
import dev.millrace.store.postgres.chaos.job.JobShape;
import dev.millrace.store.postgres.internal.server.PostgresStore;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/** Submits jobs under ids of its own, or with a key; some of them twice at the same time. */
final class ChaosSubmitter {
  /** So many jobs wait or run, at most. */
  private static final int MOST_OPEN = 150;

  /** The notes of keys. */
  static final String KEYS = "keys";

  private final ChaosRun run;
  private final String name;
  private final StoreClient client;
  private final StoreClient other;
  private final SplittableRandom random;
  private int number;

  /**
   * @param other for what is submitted twice
   */
  ChaosSubmitter(ChaosRun run, String name, StoreClient client, StoreClient other) {
    this.run = run;
    this.name = name;
    this.client = client;
    this.other = other;
    this.random = run.random(name);
  }

  void step() throws Exception {
    run.linger(20 + random.nextInt(80));
    if (++number % 20 == 0) {
      awaitRoom();
    }
    JobShape shape = JobShape.any(random);
    JobSpec spec = shape.spec(name + "-" + number, random);
    if (random.nextInt(8) == 0) {
      submitWithKey(name + "-" + number, shape, spec);
      return;
    }
    JobId id = Work.generateId();
    JobHistory job = run.history().begin(new JobHistory(id, shape, spec));
    if (random.nextInt(10) == 0) {
      submitTwice(id, spec);
    } else {
      Answered<Boolean> answer = client.ask(store -> store.submit(spec, id));
      require(answer.value() || !answer.sure(), "a new job is new: " + id);
    }
    job.acknowledge();
    run.history().note("submitted " + id + " " + shape);
    run.history().count("submitted");
    if (random.nextInt(10) == 0) {
      require(other.ask(store -> store.state(id)).value().isPresent(), "others see " + id);
      require(!other.ask(store -> store.submit(spec, id)).value(), "submitted again: " + id);
      run.history().count("submitted again");
    }
  }

  private void awaitRoom() throws InterruptedException {
    Map<JobState, Integer> counts = client.ask(store -> store.counts()).value();
    int open =
        counts.getOrDefault(JobState.PENDING, 0) + counts.getOrDefault(JobState.IN_PROGRESS, 0);
    if (open > MOST_OPEN) {
      run.history().count("submission held back");
      run.linger(2_000);
    }
  }

  /** Asks the other client at the same time. */
  private <T> CompletableFuture<Answered<T>> askOther(Function<PostgresStore, T> call) {
    CompletableFuture<Answered<T>> answer = new CompletableFuture<>();
    Thread.ofVirtual()
        .start(
            () -> {
              try {
                answer.complete(other.ask(call));
              } catch (Throwable e) {
                answer.completeExceptionally(e);
              }
            });
    return answer;
  }

  /** Two calls with a key at the same time lead to one job, however often each is repeated. */
  private void submitWithKey(String key, JobShape shape, JobSpec spec) throws Exception {
    CompletableFuture<Answered<JobId>> second =
        askOther(store -> submitOnce(store, key, shape, spec));
    JobId id = client.ask(store -> submitOnce(store, key, shape, spec)).value();
    JobId same = second.get().value();
    require(id.equals(same), "one job for key " + key + ": " + id + " and " + same);
    run.history().acknowledgeKey(key, id);
    run.history().note("submitted " + id + " " + shape + " with key " + key);
    run.history().count("submitted with a key");
  }

  /** As a server does for a request with a key: the note of the key is ahead of the job. */
  private JobId submitOnce(PostgresStore store, String key, JobShape shape, JobSpec spec) {
    while (true) {
      String known = store.readNote(KEYS, key).orElse(null);
      JobId id = known == null ? Work.generateId() : new JobId(known);
      if (store.writeNoteAhead(KEYS, key, known, id.value())) {
        run.history().beginOnce(id, () -> new JobHistory(id, shape, spec));
        store.submit(spec, id);
        return id;
      }
    }
  }

  /** Of two calls at the same time, one makes the job. */
  private void submitTwice(JobId id, JobSpec spec) throws Exception {
    CompletableFuture<Answered<Boolean>> second = askOther(store -> store.submit(spec, id));
    Answered<Boolean> first = client.ask(store -> store.submit(spec, id));
    boolean both = first.value() && second.get().value();
    boolean none = !first.value() && !second.get().value();
    boolean sure = first.sure() && second.get().sure();
    require(!both && !(none && sure), "of two submissions of " + id + " one is the first");
    run.history().count("submitted twice at once");
  }

  private void require(boolean holds, String what) {
    if (!holds) {
      run.history().problem(name + ": violated: " + what);
    }
  }
}
