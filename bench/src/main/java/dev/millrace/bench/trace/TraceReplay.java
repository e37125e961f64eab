package dev.millrace.bench.trace;

import dev.millrace.bench.model.RandomPrompts;
import dev.millrace.bench.model.SamplingChoice;
import dev.millrace.bench.model.ServingSystem;
import dev.millrace.bench.trace.RequestTrace.Arrival;
import dev.millrace.core.Flow;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.Priority;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.task.TaskResult;
import dev.millrace.server.ServerStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;

/** Submits the requests of a trace to a workspace at their recorded times, sped up by a factor. */
public final class TraceReplay {
  /** If nothing is finished for so long, the remaining jobs are lost. */
  private static final Duration STALL = Duration.ofSeconds(60);

  private static final SamplingChoice CHOICE = new SamplingChoice(0.8);

  private final ServingSystem mill;
  private final RandomPrompts texts;
  private final Random random;
  private final List<Submission> submissions = new ArrayList<>();
  private final List<ReplayReport.Depth> depths = new ArrayList<>();
  private long latest;

  private record Submission(JobId id, Priority priority, Arrival arrival) {}

  /**
   * @param seed of texts and priorities
   */
  public TraceReplay(ServingSystem mill, RandomPrompts texts, long seed) {
    this.mill = mill;
    this.texts = texts;
    this.random = new Random(seed);
  }

  /** Submits all requests at once with one priority, to measure the capacity per second. */
  public double capacity(List<Arrival> arrivals) throws InterruptedException {
    List<String> prompts = prompts(arrivals);
    long start = System.nanoTime();
    for (int i = 0; i < arrivals.size(); i++) {
      submit(arrivals.get(i), prompts.get(i), Priority.MEDIUM);
    }
    awaitAll();
    return arrivals.size() * 1e9 / (System.nanoTime() - start);
  }

  /**
   * Replays the whole trace, each request with a random priority.
   *
   * @param speed times the recorded speed
   */
  public ReplayReport run(RequestTrace trace, double speed) throws InterruptedException {
    List<String> prompts = prompts(trace.arrivals());
    Priority[] priorities = Priority.values();
    long start = System.nanoTime();
    Thread observer = observe(start, Math.round(trace.arrivals().getLast().at().toNanos() / speed));
    for (int i = 0; i < trace.rows(); i++) {
      Arrival arrival = trace.arrivals().get(i);
      long due = start + Math.round(arrival.at().toNanos() / speed);
      for (long left = due - System.nanoTime(); left > 0; left = due - System.nanoTime()) {
        LockSupport.parkNanos(left);
      }
      latest = Math.max(latest, System.nanoTime() - due);
      submit(arrival, prompts.get(i), priorities[random.nextInt(priorities.length)]);
    }
    awaitAll();
    observer.interrupt();
    observer.join();
    return new ReplayReport(
        outcomes(), List.copyOf(depths), System.nanoTime() - start, Duration.ofNanos(latest));
  }

  private List<String> prompts(List<Arrival> arrivals) {
    return arrivals.stream().map(arrival -> texts.of(random, arrival.prompt())).toList();
  }

  private void submit(Arrival arrival, String prompt, Priority priority) {
    JobId id = mill.submit(prompt, priority, CHOICE.parameters(arrival.output()));
    synchronized (submissions) {
      submissions.add(new Submission(id, priority, arrival));
    }
  }

  /** Samples the queue about twenty times while requests arrive, then until all are done. */
  private Thread observe(long start, long expected) {
    Duration every = Duration.ofNanos(Math.max(100_000_000, expected / 20));
    ServerStatus before = mill.status();
    return Thread.startVirtualThread(
        () -> {
          try {
            while (true) {
              Thread.sleep(every);
              ServerStatus now = mill.status();
              long ended = now.done() + now.failed() - before.done() - before.failed();
              int running = now.running().size();
              long waiting = Math.max(0, submitted() - ended - running);
              depths.add(new ReplayReport.Depth(System.nanoTime() - start, waiting, running));
            }
          } catch (InterruptedException e) {
            // all are done
          }
        });
  }

  private int submitted() {
    synchronized (submissions) {
      return submissions.size();
    }
  }

  private void awaitAll() throws InterruptedException {
    long progress = System.nanoTime();
    long ended = -1;
    for (Submission submission : submissions) {
      while (!mill.flow().await(submission.id, Duration.ofSeconds(1)).isFinal()) {
        ServerStatus now = mill.status();
        if (now.done() + now.failed() != ended) {
          ended = now.done() + now.failed();
          progress = System.nanoTime();
        } else if (System.nanoTime() - progress > STALL.toNanos()) {
          return;
        }
      }
    }
  }

  private List<ReplayReport.ReplayedJob> outcomes() {
    return submissions.stream().map(this::outcome).toList();
  }

  private ReplayReport.ReplayedJob outcome(Submission submission) {
    Flow.Job job = mill.flow().get(submission.id).orElse(null);
    TaskResult result = job == null || job.results().isEmpty() ? null : job.results().getFirst();
    JsonObject receipt = result == null ? null : result.receipt();
    return new ReplayReport.ReplayedJob(
        submission.id,
        submission.priority,
        submission.arrival,
        job == null ? Flow.Status.MISSING : job.status(),
        job == null ? null : job.view(),
        receipt);
  }
}
