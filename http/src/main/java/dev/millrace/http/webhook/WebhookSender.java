package dev.millrace.http.webhook;

import dev.millrace.core.job.JobId;
import dev.millrace.core.job.Webhook;
import dev.millrace.core.store.JobView;
import dev.millrace.core.time.Moment;
import dev.millrace.http.webhook.DeliveryQueue.PendingDelivery;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.net.URI;
import java.time.Instant;
import java.util.concurrent.atomic.LongAdder;

/**
 * Sends one event to one receiver and returns the new progress. The caller saves the progress
 * afterwards, so that a crash leads to a second delivery and never to a lost one. Thread-safe.
 */
final class WebhookSender {
  private static final System.Logger LOG = System.getLogger("dev.millrace.server");

  final LongAdder delivered = new LongAdder();
  final LongAdder failed = new LongAdder();
  final LongAdder givenUp = new LongAdder();
  private final String secret;
  private final RetryTimes times;
  private final AllowedAddressResolver resolver;
  private final PinnedHttpClient client;

  WebhookSender(
      String secret, RetryTimes times, AllowedAddressResolver resolver, PinnedHttpClient client) {
    this.secret = secret;
    this.times = times;
    this.resolver = resolver;
    this.client = client;
  }

  /** Attempts a delivery; returns the progress after it. */
  DeliveryProgress deliver(PendingDelivery delivery, JobView view, DeliveryProgress before)
      throws InterruptedException {
    WebhookEvent event = delivery.event();
    Webhook webhook = view.header().webhooks().get(delivery.key().index());
    URI uri = URI.create(webhook.url());
    String problem;
    try {
      WebhookRequest request =
          WebhookRequest.of(event, view, secret, times.timeline().now().wall());
      int status = client.post(resolver.resolve(uri), request.fields(), request.body());
      if (status / 100 == 2) {
        delivered.increment();
        return sent(event);
      }
      if (status == 410) {
        givenUp.increment();
        LOG.log(
            Level.INFO,
            describe(delivery, uri)
                + " answered 410 (Gone); no more events of this job are sent to it");
        return DeliveryProgress.finished(event.entryNumber());
      }
      problem = "status " + status;
    } catch (IOException e) {
      problem = String.valueOf(e.getMessage());
    }
    if (Thread.interrupted()) {
      throw new InterruptedException();
    }
    failed.increment();
    return afterFailure(delivery, uri, before, problem);
  }

  private static DeliveryProgress sent(WebhookEvent event) {
    return event.isLast()
        ? DeliveryProgress.finished(event.entryNumber())
        : DeliveryProgress.at(event.entryNumber());
  }

  private DeliveryProgress afterFailure(
      PendingDelivery delivery, URI uri, DeliveryProgress before, String problem) {
    WebhookEvent event = delivery.event();
    Moment now = times.timeline().now();
    Instant since = before.firstFailure() == null ? now.wall() : before.firstFailure();
    if (times.isTooLate(since, now)) {
      givenUp.increment();
      LOG.log(
          Level.WARNING,
          "%s did not accept event %s in %d attempts since %s; giving up; last error: %s"
              .formatted(
                  describe(delivery, uri),
                  event.id(delivery.key().job()),
                  before.failures() + 1,
                  since,
                  problem));
      return sent(event);
    }
    int failures = before.failures() + 1;
    Instant next = now.wall().plus(times.schedule().after(failures));
    LOG.log(
        failures == 1 ? Level.INFO : Level.DEBUG,
        "%s did not accept an event (%s); retrying at %s"
            .formatted(describe(delivery, uri), problem, next));
    return new DeliveryProgress(event.entryNumber() - 1, failures, since, next, false);
  }

  private static String describe(PendingDelivery delivery, URI uri) {
    JobId job = delivery.key().job();
    return "webhook of job " + job + ": " + ResolvedTarget.loggable(uri);
  }
}
