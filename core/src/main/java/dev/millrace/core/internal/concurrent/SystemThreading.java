package dev.millrace.core.internal.concurrent;

import dev.millrace.core.internal.thread.MonitoredThreads;
import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;

/** The threads, locks and time of the virtual machine. */
final class SystemThreading implements Threading {
  @Override
  public ReentrantLock newLock() {
    return new ReentrantLock();
  }

  @Override
  public long nanoTime() {
    return System.nanoTime();
  }

  @Override
  public void sleep(Duration time) throws InterruptedException {
    Thread.sleep(time);
  }

  @Override
  public void startInBackground(String name, Runnable work) {
    Thread thread = MonitoredThreads.service(name).unstarted(work);
    thread.setPriority(Thread.MIN_PRIORITY);
    thread.start();
  }
}
