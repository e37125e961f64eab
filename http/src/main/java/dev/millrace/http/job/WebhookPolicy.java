package dev.millrace.http.job;

import dev.millrace.core.job.Webhook;
import dev.millrace.http.route.Problem;

/** Decides which webhooks a job may have. */
public interface WebhookPolicy {

  /**
   * @throws Problem if this server does not send to that URL
   */
  void check(Webhook webhook) throws Problem;
}
