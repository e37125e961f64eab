package dev.millrace.client;

import dev.millrace.client.internal.transport.TimeSource;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;

/** Time that passes only during waits, and a random number that is always the same. */
public final class FakeTimeSource implements TimeSource {
  private final AtomicLong now = new AtomicLong();
  private final int most;
  private final double random;

  /** All waits so far. */
  public final List<Duration> waits = new CopyOnWriteArrayList<>();

  public FakeTimeSource() {
    this(Integer.MAX_VALUE, 0.5);
  }

  /**
   * @param most how many waits end at once; later ones last until their signal
   * @param random what {@link #random} returns
   */
  public FakeTimeSource(int most, double random) {
    this.most = most;
    this.random = random;
  }

  @Override
  public long nanos() {
    return now.get();
  }

  public void pass(Duration time) {
    now.addAndGet(time.toNanos());
  }

  @Override
  public boolean await(CountDownLatch signal, Duration time) throws InterruptedException {
    waits.add(time);
    if (waits.size() > most) {
      signal.await();
    }
    pass(time);
    return signal.getCount() == 0;
  }

  @Override
  public double random() {
    return random;
  }
}
