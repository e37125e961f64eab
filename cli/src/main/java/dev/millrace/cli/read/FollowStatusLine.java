package dev.millrace.cli.read;

import dev.millrace.cli.command.SuggestedCommand;
import dev.millrace.cli.format.PipeWaitText;
import dev.millrace.cli.format.QueuePositionText;
import dev.millrace.cli.place.PlaceOwner;
import dev.millrace.core.Flow.Status;
import dev.millrace.core.internal.thread.MonitoredThreads;
import dev.millrace.core.store.JobView;
import dev.millrace.core.store.StoreException;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Shows the status of a followed job while it generates nothing. A separate thread asks for the
 * queue position: the answer may take long and must not delay text.
 */
final class FollowStatusLine implements AutoCloseable {
  private static final long PERIOD = 1_000_000_000L;

  private final JobFollower.FollowedJob subject;
  private final String type;
  private final Thread asking;
  private volatile boolean closed;
  private volatile Status status = Status.MISSING;
  private volatile @Nullable String queued;
  private volatile boolean served = true;
  private volatile @Nullable String waitReason;
  private volatile @Nullable Instant started;

  FollowStatusLine(JobFollower.FollowedJob subject, String type, boolean wanted) {
    this.subject = subject;
    this.type = type;
    this.asking = MonitoredThreads.virtualWork().name("queue-position").unstarted(this::ask);
    if (wanted) {
      asking.start();
    }
  }

  private void ask() {
    while (!closed) {
      try {
        PlaceOwner owner = subject.place().owner();
        served = owner.held();
        waitReason = PipeWaitText.reasonIfAllWait(owner, type);
        started =
            status == Status.RUNNING
                ? subject.reader().find(subject.id()).map(JobView::startedAt).orElse(null)
                : null;
        queued =
            status == Status.QUEUED
                ? QueuePositionText.of(
                    subject.reader().queuePosition(subject.id()), owner, type, subject.dir())
                : null;
      } catch (StoreException e) {
        queued = null; // an unreadable job is reported elsewhere
      }
      LockSupport.parkNanos(this, status == Status.MISSING ? PERIOD / 100 : PERIOD);
    }
  }

  /**
   * The line to show; null for none.
   *
   * @param silent whether no text has arrived yet
   */
  @Nullable String line(Status now, boolean silent) {
    if (status != now) {
      status = now;
      LockSupport.unpark(asking);
    }
    return switch (now) {
      case QUEUED -> queued;
      case PAUSED ->
          "paused; resume with: "
              + SuggestedCommand.of("resume").on(subject.dir()).with(subject.id());
      case RUNNING ->
          !served
              ? "interrupted; it resumes when a server works on " + subject.dir()
              : waitReason != null ? waitReason : silent ? "running " + seconds() : null;
      default -> null;
    };
  }

  private String seconds() {
    Instant from = started;
    return from == null ? "" : Duration.between(from, Instant.now()).toSeconds() + " s";
  }

  @Override
  public void close() {
    closed = true;
    LockSupport.unpark(asking);
  }
}
