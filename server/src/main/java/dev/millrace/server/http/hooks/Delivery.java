package dev.millrace.server.http.hooks;

import dev.millrace.core.job.JobId;
import dev.millrace.core.job.Webhook;
import dev.millrace.core.store.JobView;
import dev.millrace.server.http.hooks.Agenda.Parcel;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.LongAdder;

/**
 * Tells one receiver one event, and notes what came of it: first it is told, then it is noted, so
 * that after a crash it is told twice rather than not at all. Thread-safe.
 */
final class Delivery {
  private static final System.Logger LOG = System.getLogger("dev.millrace.server");

  final LongAdder delivered = new LongAdder();
  final LongAdder failed = new LongAdder();
  final LongAdder givenUp = new LongAdder();
  private final HookSettings settings;
  private final Guard guard;
  private final Courier courier;

  Delivery(HookSettings settings, Guard guard, Courier courier) {
    this.settings = settings;
    this.guard = guard;
    this.courier = courier;
  }

  /** What one webhook of a job knows after the attempt. */
  Progress tell(Parcel parcel, JobView view, Progress before) throws InterruptedException {
    Telling telling = parcel.telling();
    Webhook hook = view.header().webhooks().get(parcel.line().hook());
    URI uri = URI.create(hook.url());
    String problem;
    try {
      Message message = Message.of(telling, view, settings.secret(), settings.clock().instant());
      int status = courier.post(guard.admit(uri), message.fields(), message.body());
      if (status / 100 == 2) {
        delivered.increment();
        return told(telling);
      }
      if (status == 410) {
        givenUp.increment();
        LOG.log(
            Level.INFO, shown(parcel, uri) + " is gone (410) and is told nothing more of this job");
        return Progress.over(telling.number());
      }
      problem = "it answers " + status;
    } catch (IOException e) {
      problem = String.valueOf(e.getMessage());
    }
    if (Thread.interrupted()) {
      throw new InterruptedException();
    }
    failed.increment();
    return after(parcel, uri, before, problem);
  }

  private static Progress told(Telling telling) {
    return telling.last() ? Progress.over(telling.number()) : Progress.at(telling.number());
  }

  private Progress after(Parcel parcel, URI uri, Progress before, String problem) {
    Telling telling = parcel.telling();
    Instant now = settings.clock().instant();
    Instant since = before.since() == null ? now : before.since();
    if (Duration.between(since, now).compareTo(settings.patience().inAll()) >= 0) {
      givenUp.increment();
      LOG.log(
          Level.WARNING,
          "%s has not taken event %s in %d tries since %s and is not told any more; last: %s"
              .formatted(
                  shown(parcel, uri),
                  telling.id(parcel.line().job()),
                  before.tries() + 1,
                  since,
                  problem));
      return told(telling);
    }
    int tries = before.tries() + 1;
    Instant next = now.plus(settings.patience().after(tries));
    LOG.log(
        tries == 1 ? Level.INFO : Level.DEBUG,
        "%s did not take an event (%s); tried again at %s"
            .formatted(shown(parcel, uri), problem, next));
    return new Progress(telling.number() - 1, tries, since, next, false);
  }

  private static String shown(Parcel parcel, URI uri) {
    JobId job = parcel.line().job();
    return "webhook of job " + job + ": " + Target.shown(uri);
  }
}
