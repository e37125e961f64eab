package dev.millrace.http.webhook;

import dev.millrace.core.job.JobId;
import dev.millrace.core.job.Webhook;
import dev.millrace.core.store.JobView;
import dev.millrace.http.webhook.DeliveryQueue.PendingDelivery;
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
final class WebhookSender {
  private static final System.Logger LOG = System.getLogger("dev.millrace.server");

  final LongAdder delivered = new LongAdder();
  final LongAdder failed = new LongAdder();
  final LongAdder givenUp = new LongAdder();
  private final WebhookSettings settings;
  private final AllowedAddressResolver guard;
  private final PinnedHttpClient courier;

  WebhookSender(WebhookSettings settings, AllowedAddressResolver guard, PinnedHttpClient courier) {
    this.settings = settings;
    this.guard = guard;
    this.courier = courier;
  }

  /** What one webhook of a job knows after the attempt. */
  DeliveryProgress deliver(PendingDelivery parcel, JobView view, DeliveryProgress before)
      throws InterruptedException {
    WebhookEvent telling = parcel.event();
    Webhook hook = view.header().webhooks().get(parcel.key().index());
    URI uri = URI.create(hook.url());
    String problem;
    try {
      WebhookRequest message =
          WebhookRequest.of(telling, view, settings.secret(), settings.clock().instant());
      int status = courier.post(guard.resolve(uri), message.fields(), message.body());
      if (status / 100 == 2) {
        delivered.increment();
        return told(telling);
      }
      if (status == 410) {
        givenUp.increment();
        LOG.log(
            Level.INFO, shown(parcel, uri) + " is gone (410) and is told nothing more of this job");
        return DeliveryProgress.finished(telling.entryNumber());
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

  private static DeliveryProgress told(WebhookEvent telling) {
    return telling.isLast()
        ? DeliveryProgress.finished(telling.entryNumber())
        : DeliveryProgress.at(telling.entryNumber());
  }

  private DeliveryProgress after(
      PendingDelivery parcel, URI uri, DeliveryProgress before, String problem) {
    WebhookEvent telling = parcel.event();
    Instant now = settings.clock().instant();
    Instant since = before.firstFailure() == null ? now : before.firstFailure();
    if (Duration.between(since, now).compareTo(settings.retry().giveUpAfter()) >= 0) {
      givenUp.increment();
      LOG.log(
          Level.WARNING,
          "%s has not taken event %s in %d tries since %s and is not told any more; last: %s"
              .formatted(
                  shown(parcel, uri),
                  telling.id(parcel.key().job()),
                  before.failures() + 1,
                  since,
                  problem));
      return told(telling);
    }
    int tries = before.failures() + 1;
    Instant next = now.plus(settings.retry().after(tries));
    LOG.log(
        tries == 1 ? Level.INFO : Level.DEBUG,
        "%s did not take an event (%s); tried again at %s"
            .formatted(shown(parcel, uri), problem, next));
    return new DeliveryProgress(telling.entryNumber() - 1, tries, since, next, false);
  }

  private static String shown(PendingDelivery parcel, URI uri) {
    JobId job = parcel.key().job();
    return "webhook of job " + job + ": " + DeliveryTarget.loggable(uri);
  }
}
