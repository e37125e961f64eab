package dev.millrace.server.http;

import dev.millrace.core.job.Webhook;

/** Says which webhooks a job may come with. */
public interface WebhookPolicy {

  /**
   * @throws Problem if this server would not send there
   */
  void check(Webhook hook) throws Problem;
}
