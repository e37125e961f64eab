package dev.millrace.http.webhook;

import dev.millrace.core.internal.thread.MonitoredThreads;
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
 * Resolves a host to an address that the server may call. The caller must connect to the returned
 * address, so that a second lookup cannot give another one (DNS rebinding). Thread-safe.
 */
final class AllowedAddressResolver implements AutoCloseable {

  /** Looks up the addresses of a host. */
  @FunctionalInterface
  interface Resolver {
    InetAddress[] resolve(String host) throws UnknownHostException;
  }

  private static final Duration LOOKUP_TIMEOUT = Duration.ofSeconds(5);
  private static final int MAX_LOOKUPS = 64;

  private final WebhookAllowList allowList;
  private final Resolver resolver;
  private final ExecutorService lookups; // a lookup has no timeout of its own

  AllowedAddressResolver(WebhookAllowList allowList, Resolver resolver) {
    this.allowList = allowList;
    this.resolver = resolver;
    this.lookups =
        new ThreadPoolExecutor(
            0,
            MAX_LOOKUPS,
            10,
            TimeUnit.SECONDS,
            new SynchronousQueue<>(),
            MonitoredThreads.work().name("millrace-lookup-", 1).factory());
  }

  /**
   * The first allowed address of the host.
   *
   * @throws ForbiddenAddressException if no address is allowed
   * @throws IOException if the lookup fails
   */
  ResolvedTarget resolve(URI uri) throws IOException, InterruptedException {
    String host = ResolvedTarget.host(uri);
    int port = ResolvedTarget.port(uri);
    if (allowList.mayAllow(host, port)) {
      for (InetAddress address : lookUp(host)) {
        if (allowList.allows(host, port, address)) {
          return ResolvedTarget.of(uri, address);
        }
      }
    }
    throw new ForbiddenAddressException("this server may not call its address");
  }

  private InetAddress[] lookUp(String host) throws IOException, InterruptedException {
    Future<InetAddress[]> found;
    try {
      found = lookups.submit(() -> resolver.resolve(host));
    } catch (RejectedExecutionException e) {
      throw new IOException("too many hosts are being looked up", e);
    }
    try {
      return found.get(LOOKUP_TIMEOUT.toNanos(), TimeUnit.NANOSECONDS);
    } catch (ExecutionException e) {
      throw new IOException("the host is unknown", e.getCause());
    } catch (TimeoutException e) {
      found.cancel(true);
      throw new IOException(
          "the host was not found within " + LOOKUP_TIMEOUT.toSeconds() + " s", e);
    }
  }

  @Override
  public void close() {
    lookups.shutdownNow();
  }
}
