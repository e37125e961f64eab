package dev.millrace.server.http;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongConsumer;

/** Looks after all requests that may have to wait for their clients, a few times a second. */
final class Stalls implements AutoCloseable {
  private static final long PERIOD = Duration.ofMillis(200).toNanos();

  private final Set<Stall> stalls = ConcurrentHashMap.newKeySet();
  private final LongConsumer also;
  private final Thread thread;
  private volatile boolean closed;

  /**
   * @param also is done as often
   */
  Stalls(LongConsumer also) {
    this.also = also;
    thread = Thread.ofPlatform().daemon().name("millrace-http-watch").start(this::watch);
  }

  long now() {
    return System.nanoTime();
  }

  Stall open() {
    Stall stall = new Stall(this);
    stalls.add(stall);
    return stall;
  }

  void close(Stall stall) {
    stalls.remove(stall);
    stall.close();
  }

  private void watch() {
    while (!closed) {
      LockSupport.parkNanos(PERIOD);
      long now = now();
      stalls.removeIf(stall -> stall.check(now));
      also.accept(now);
    }
  }

  @Override
  public void close() {
    closed = true;
    LockSupport.unpark(thread);
  }
}
