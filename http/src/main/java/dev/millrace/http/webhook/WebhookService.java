package dev.millrace.http.webhook;

import dev.millrace.core.job.Webhook;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.Subscription;
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
 * Tells receivers what becomes of jobs: final states, and stages that wait for approval. Each event
 * is told at least once, under an id that stays the same, and in order to each receiver of a job; a
 * receiver that fails is tried again for a day. What was left when it was closed, or crashed, goes
 * on when it is opened again on the same store. Thread-safe.
 */
public final class WebhookService implements AutoCloseable, WebhookPolicy {
  private static final System.Logger LOG = System.getLogger("dev.millrace.server");
  private static final Duration END = Duration.ofSeconds(2);

  private final AllowedAddressResolver guard;
  private final PinnedHttpClient courier;
  private final WebhookSender delivery;
  private final WebhookScheduler teller;
  private final ExecutorService threads;
  private final Thread thread;
  private final Subscription subscription;

  private WebhookService(JobStore store, WebhookSettings settings, Environment world) {
    this.guard = new AllowedAddressResolver(settings.allow(), world.resolver());
    this.courier = new PinnedHttpClient(settings.timeout(), world.tls());
    this.delivery = new WebhookSender(settings, guard, courier);
    this.threads =
        Executors.newThreadPerTaskExecutor(Thread.ofVirtual().name("millrace-hook-", 1).factory());
    this.teller = new WebhookScheduler(store, settings, delivery, threads, world.capacity());
    this.subscription = store.onChange(teller::jobChanged);
    this.thread = Thread.ofPlatform().daemon().name("millrace-hooks").start(teller);
  }

  /** What a test may want to be otherwise. */
  record Environment(AllowedAddressResolver.Resolver resolver, SSLSocketFactory tls, int capacity) {
    static Environment usual() {
      return new Environment(
          InetAddress::getAllByName,
          (SSLSocketFactory) SSLSocketFactory.getDefault(),
          WebhookScheduler.CAPACITY);
    }
  }

  /** Goes on with what the store's notes say, and follows the store from now on. */
  public static WebhookService open(JobStore store, WebhookSettings settings) {
    return open(store, settings, Environment.usual());
  }

  static WebhookService open(JobStore store, WebhookSettings settings, Environment world) {
    return new WebhookService(store, settings, world);
  }

  /** Refuses an address that is barred now; a host that cannot be found may be found later. */
  @Override
  public void check(Webhook hook) throws Problem {
    try {
      guard.resolve(URI.create(hook.url()));
    } catch (ForbiddenAddressException e) {
      throw new Problem(
          Problem.Kind.INVALID,
          "webhook: \"url\" leads to an address that this server may not call: use a public address"
              + " of an allowed host, or have whoever runs the server allow the address or a range"
              + " with it (--webhook-allow)");
    } catch (IOException e) {
      LOG.log(Level.DEBUG, "a webhook's host is not known yet: " + e.getMessage());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  public WebhookStats stats() {
    return new WebhookStats(
        delivery.delivered.sum(), delivery.failed.sum(), delivery.givenUp.sum(), teller.pending());
  }

  /** Looks at the clock again; for tests that set it. */
  void wake() {
    teller.wake();
  }

  /** Breaks off what is under way; the notes say where to go on. */
  @Override
  public void close() {
    subscription.close();
    thread.interrupt();
    threads.shutdownNow();
    courier.close();
    guard.close();
    try {
      thread.join(END);
      if (!threads.awaitTermination(END.toMillis(), TimeUnit.MILLISECONDS)) {
        LOG.log(Level.DEBUG, "a webhook is still on its way");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
