package dev.millrace.server.http.hooks;

import dev.millrace.core.job.Webhook;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.Subscription;
import dev.millrace.server.http.Problem;
import dev.millrace.server.http.WebhookPolicy;
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
public final class Webhooks implements AutoCloseable, WebhookPolicy {
  private static final System.Logger LOG = System.getLogger("dev.millrace.server");
  private static final Duration END = Duration.ofSeconds(2);

  private final Guard guard;
  private final Courier courier;
  private final Delivery delivery;
  private final Teller teller;
  private final ExecutorService threads;
  private final Thread thread;
  private final Subscription subscription;

  private Webhooks(JobStore store, HookSettings settings, World world) {
    this.guard = new Guard(settings.allow(), world.resolver());
    this.courier = new Courier(settings.timeout(), world.tls());
    this.delivery = new Delivery(settings, guard, courier);
    this.threads =
        Executors.newThreadPerTaskExecutor(Thread.ofVirtual().name("millrace-hook-", 1).factory());
    this.teller = new Teller(store, settings, delivery, threads, world.capacity());
    this.subscription = store.onChange(teller::changed);
    this.thread = Thread.ofPlatform().daemon().name("millrace-hooks").start(teller);
  }

  /** What a test may want to be otherwise. */
  record World(Guard.Resolver resolver, SSLSocketFactory tls, int capacity) {
    static World usual() {
      return new World(
          InetAddress::getAllByName,
          (SSLSocketFactory) SSLSocketFactory.getDefault(),
          Teller.CAPACITY);
    }
  }

  /** Goes on with what the store's notes say, and follows the store from now on. */
  public static Webhooks open(JobStore store, HookSettings settings) {
    return open(store, settings, World.usual());
  }

  static Webhooks open(JobStore store, HookSettings settings, World world) {
    return new Webhooks(store, settings, world);
  }

  /** Refuses an address that is barred now; a host that cannot be found may be found later. */
  @Override
  public void check(Webhook hook) throws Problem {
    try {
      guard.admit(URI.create(hook.url()));
    } catch (Barred e) {
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

  public HookStats stats() {
    return new HookStats(
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
