package dev.millrace.http.job;

import dev.millrace.core.job.Webhook;
import dev.millrace.http.route.Problem;

/** Says which webhooks a job may come with. */
public interface WebhookPolicy {

  /**
   * @throws Problem if this server would not send there
   */
  void check(Webhook hook) throws Problem;
}
