package dev.millrace.client;

import dev.millrace.client.wire.LogLine;
import dev.millrace.client.wire.NewSo1Job;
import dev.millrace.client.wire.PageOf;
import dev.millrace.client.wire.Session;
import dev.millrace.client.wire.So1Job;
import dev.millrace.client.wire.So1State;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** {@code /api}: jobs in so1's words, and their logs. Thread-safe. */
public final class So1Api {
  private final Channel channel;

  So1Api(Channel channel) {
    this.channel = channel;
  }

  /** Makes a job; safe to repeat by itself. */
  public So1Job create(NewSo1Job job) {
    return create(job, null);
  }

  /**
   * @param key by which the server knows a repetition for 24 hours; null: a fresh one
   */
  public So1Job create(NewSo1Job job, @Nullable String key) {
    return channel
        .produce("job", Request.post("/api/jobs").once(key).body(job.toJson()))
        .read("job", So1Job::read);
  }

  public So1Job get(UUID job) {
    return channel.send(Request.get("/api/jobs/{}", job)).read("job", So1Job::read);
  }

  /** One page of jobs, newest first. */
  public PageOf<So1Job> list(
      @Nullable So1State state, @Nullable String tag, int limit, @Nullable String cursor) {
    return channel
        .send(
            Request.get("/api/jobs")
                .query("state", state == null ? null : state.word())
                .query("tag", tag)
                .query("limit", Channel.limit(limit))
                .query("cursor", cursor))
        .page("jobs", So1Job::read);
  }

  /** All of them, newest first, asked for page by page. */
  public Stream<So1Job> all(@Nullable So1State state, @Nullable String tag) {
    return PageOf.stream(cursor -> list(state, tag, 0, cursor));
  }

  /** Ends a job; one that is cancelled already stays so. */
  public So1Job cancel(UUID job) {
    return channel
        .send(Request.post("/api/jobs/{}/cancel", job).repeatable())
        .read("job", So1Job::read);
  }

  /** One page of the job's log; from its beginning where {@code cursor} is null. */
  public PageOf<LogLine> logs(UUID job, int limit, @Nullable String cursor) {
    return channel
        .send(
            Request.get("/api/jobs/{}/logs", job)
                .query("limit", Channel.limit(limit))
                .query("cursor", cursor))
        .page("lines", LogLine::read);
  }

  /** The log as it is now. */
  public Stream<LogLine> logs(UUID job) {
    return PageOf.stream(cursor -> logs(job, 0, cursor));
  }

  /**
   * Follows a job until its final status, through broken connections.
   *
   * @param cursor after which entry of the log to begin; null: from the beginning, or of a job that
   *     has ended only its final status
   */
  public EventStream events(UUID job, @Nullable Long cursor) {
    return new EventStream(channel, job, cursor);
  }

  public Session session() {
    return channel.send(Request.get("/api/auth/session")).read("session", Session::read);
  }
}
