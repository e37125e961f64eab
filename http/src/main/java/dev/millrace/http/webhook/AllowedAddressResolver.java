package dev.millrace.http.webhook;

import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Finds the address of a host and says whether it may be called. The address that was checked is
 * the one to connect to, so that a name cannot mean something else a moment later. Thread-safe.
 */
final class AllowedAddressResolver implements AutoCloseable {

  /** Turns a host into addresses. */
  @FunctionalInterface
  interface Resolver {
    InetAddress[] resolve(String host) throws UnknownHostException;
  }

  private static final Duration LOOKUP = Duration.ofSeconds(5);
  private static final int LOOKUPS_AT_ONCE = 64;

  private final WebhookAllowList allow;
  private final Resolver resolver;
  private final ExecutorService lookups; // nothing else bounds how long a lookup takes

  AllowedAddressResolver(WebhookAllowList allow, Resolver resolver) {
    this.allow = allow;
    this.resolver = resolver;
    this.lookups =
        new ThreadPoolExecutor(
            0,
            LOOKUPS_AT_ONCE,
            10,
            TimeUnit.SECONDS,
            new SynchronousQueue<>(),
            Thread.ofPlatform().daemon().name("millrace-lookup-", 1).factory());
  }

  /**
   * The first address of the host that may be called.
   *
   * @throws ForbiddenAddressException if there is none
   * @throws IOException if the host has no address now
   */
  DeliveryTarget resolve(URI uri) throws IOException, InterruptedException {
    String host = DeliveryTarget.host(uri);
    int port = DeliveryTarget.port(uri);
    if (allow.mayAllow(host, port)) {
      for (InetAddress address : lookUp(host)) {
        if (allow.allows(host, port, address)) {
          return DeliveryTarget.of(uri, address);
        }
      }
    }
    throw new ForbiddenAddressException("its address is not one that this server may call");
  }

  private InetAddress[] lookUp(String host) throws IOException, InterruptedException {
    Future<InetAddress[]> found;
    try {
      found = lookups.submit(() -> resolver.resolve(host));
    } catch (RejectedExecutionException e) {
      throw new IOException("too many hosts are being looked up", e);
    }
    try {
      return found.get(LOOKUP.toNanos(), TimeUnit.NANOSECONDS);
    } catch (ExecutionException e) {
      throw new IOException("the host is not known", e.getCause());
    } catch (TimeoutException e) {
      found.cancel(true);
      throw new IOException("the host was not found within " + LOOKUP.toSeconds() + " s", e);
    }
  }

  @Override
  public void close() {
    lookups.shutdownNow();
  }
}
