package dev.millrace.http.webhook;

import dev.millrace.core.internal.thread.MonitoredThreads;
import dev.millrace.core.job.Webhook;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.LeaderLease;
import dev.millrace.core.store.NoteStore;
import dev.millrace.core.store.Subscription;
import dev.millrace.core.time.ProcessTimeline;
import dev.millrace.http.job.WebhookPolicy;
import dev.millrace.http.route.Problem;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.net.InetAddress;
import java.net.URI;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLSocketFactory;

/**
 * Sends events of jobs to webhooks: final states, and stages that wait for approval. Each event is
 * delivered at least once, with a constant id, and in order for each webhook of a job. Failed
 * deliveries are retried for a day. Of several services on the same jobs, the one with the lease of
 * the leader delivers; after its close or a crash, another one continues. Thread-safe.
 */
public final class WebhookService implements AutoCloseable, WebhookPolicy {
  private static final System.Logger LOG = System.getLogger("dev.millrace.server");
  private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(2);

  private final AllowedAddressResolver resolver;
  private final PinnedHttpClient client;
  private final WebhookSender sender;
  private final LeaderLease leader;
  private final WebhookScheduler scheduler;
  private final ExecutorService threads;
  private final Thread thread;
  private final Subscription subscription;

  private WebhookService(JobStore store, WebhookSettings settings, Environment environment) {
    this.resolver = new AllowedAddressResolver(settings.allow(), environment.resolver());
    this.client = new PinnedHttpClient(settings.timeout(), environment.tls());
    RetryTimes times = new RetryTimes(new ProcessTimeline(settings.clock()), settings.retry());
    this.sender = new WebhookSender(settings.secret(), times, resolver, client);
    this.threads =
        Executors.newThreadPerTaskExecutor(
            MonitoredThreads.virtualWork().name("millrace-hook-", 1).factory());
    DeliveryQueue queue =
        new DeliveryQueue(environment.capacity(), settings.maxConcurrent(), settings.maxPerHost());
    this.leader = store.leaderLease(NoteStore.WEBHOOKS);
    this.scheduler = new WebhookScheduler(store, leader, times, sender, threads, queue);
    this.subscription = store.onChange(scheduler::jobChanged);
    this.thread = MonitoredThreads.service("millrace-hooks").start(scheduler);
  }

  /** What tests replace. */
  record Environment(AllowedAddressResolver.Resolver resolver, SSLSocketFactory tls, int capacity) {
    static Environment standard() {
      return new Environment(
          InetAddress::getAllByName,
          (SSLSocketFactory) SSLSocketFactory.getDefault(),
          WebhookScheduler.CAPACITY);
    }
  }

  /** Continues with the notes in the store, and follows changes of jobs from now on. */
  public static WebhookService open(JobStore store, WebhookSettings settings) {
    return open(store, settings, Environment.standard());
  }

  static WebhookService open(JobStore store, WebhookSettings settings, Environment environment) {
    return new WebhookService(store, settings, environment);
  }

  /** Refuses a forbidden address; accepts a host that cannot be resolved now. */
  @Override
  public void check(Webhook webhook) throws Problem {
    try {
      resolver.resolve(URI.create(webhook.url()));
    } catch (ForbiddenAddressException e) {
      throw new Problem(
          Problem.Kind.INVALID,
          "webhook: \"url\" leads to an address that this server may not call: use a public address"
              + " of an allowed host, or ask the operator of this server to allow the address or"
              + " its range (--webhook-allow)");
    } catch (IOException e) {
      LOG.log(Level.DEBUG, "a webhook's host is unknown: " + e.getMessage());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  public WebhookStats stats() {
    return new WebhookStats(
        sender.delivered.sum(), sender.failed.sum(), sender.givenUp.sum(), scheduler.pending());
  }

  /** Starts a round now; for tests that set the clock. */
  void wake() {
    scheduler.wake();
  }

  /** Cancels running deliveries; the notes keep the progress. */
  @Override
  public void close() {
    subscription.close();
    thread.interrupt();
    threads.shutdownNow();
    client.close();
    resolver.close();
    try {
      thread.join(CLOSE_TIMEOUT);
      if (!threads.awaitTermination(CLOSE_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)) {
        LOG.log(Level.DEBUG, "a webhook delivery is still running");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    leader.close(); // now, so that no other one delivers what this one still does
  }
}
