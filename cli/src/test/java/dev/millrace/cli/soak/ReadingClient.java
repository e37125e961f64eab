package dev.millrace.cli.soak;

import dev.millrace.api.ApiJob;
import dev.millrace.api.SseEvent;
import dev.millrace.client.JobEventStream;
import dev.millrace.client.JobFilter;
import dev.millrace.client.RetryPolicy;
import dev.millrace.client.error.ApiException;
import dev.millrace.client.error.ClientException;
import dev.millrace.core.job.JobState;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/** Reads jobs, lists and event streams: what was acknowledged is there, and what ended stays so. */
final class ReadingClient extends SoakClient {
  private final Map<UUID, JobState> ended = new HashMap<>();

  ReadingClient(SoakRun run, String actor) {
    super(run, actor, RetryPolicy.DEFAULT);
  }

  @Override
  void step() throws InterruptedException {
    run.linger(50 + random.nextInt(400));
    Optional<SoakJobs.Known> job = run.jobs().any(random);
    if (job.isEmpty()) {
      return;
    }
    switch (random.nextInt(4)) {
      case 0 -> read(() -> client.jobs().list(JobFilter.all().limit(50), null));
      case 1 -> follow(job.get());
      default -> look(job.get());
    }
  }

  private void look(SoakJobs.Known known) {
    ApiJob job;
    try {
      job = read(() -> client.jobs().get(known.uuid()));
    } catch (ApiException e) {
      run.history().problem("acknowledged job " + known.id() + " cannot be read: " + e);
      return;
    }
    if (job == null) {
      return;
    }
    run.history().add(actor, "get", known.id(), "", SoakHistory.Answer.ACKNOWLEDGED);
    JobState before = ended.get(known.uuid());
    if (before != null && before != job.status()) {
      run.history().problem("job " + known.id() + " was " + before + ", is " + job.status());
    }
    if (job.status().isFinal()) {
      ended.put(known.uuid(), job.status());
    }
  }

  /** Follows a stream for some seconds, through changes of the server. */
  private void follow(SoakJobs.Known known) {
    long last = 0;
    long until = System.nanoTime() + Duration.ofSeconds(2 + random.nextInt(15)).toNanos();
    try (JobEventStream events = client.so1().events(known.uuid(), 0L)) {
      while (System.nanoTime() < until && !run.ended() && !events.isEnded()) {
        Optional<SseEvent> event = events.poll(Duration.ofMillis(200));
        if (event.isPresent() && event.get().id() != null) {
          long id = Long.parseLong(event.get().id());
          if (id <= last) {
            run.history().problem("job " + known.id() + ": event " + id + " follows event " + last);
          }
          last = id;
        }
      }
      run.history().add(actor, "follow", known.id(), "", SoakHistory.Answer.ACKNOWLEDGED);
    } catch (ClientException e) {
      run.history().add(actor, "follow", known.id(), "", SoakHistory.Answer.UNKNOWN);
    }
  }
}
