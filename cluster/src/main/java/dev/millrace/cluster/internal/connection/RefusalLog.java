package dev.millrace.cluster.internal.connection;

import java.lang.System.Logger.Level;
import java.util.LinkedHashMap;
import java.util.concurrent.TimeUnit;

/**
 * Logs refused connections: at most one line per address in ten minutes, and at most ten lines per
 * minute, so that nobody can fill the log.
 */
public final class RefusalLog {
  private static final System.Logger LOG = System.getLogger("dev.millrace.cluster");
  private static final long ADDRESS_PAUSE = TimeUnit.MINUTES.toNanos(10);
  private static final long MINUTE = TimeUnit.MINUTES.toNanos(1);
  private static final int MAX_LINES = 10;
  private static final int MAX_ADDRESSES = 1024;

  private final LinkedHashMap<String, Long> logged = new LinkedHashMap<>();
  private long minute = System.nanoTime();
  private int lines;

  void log(String address, String why) {
    if (shouldLog(address, System.nanoTime())) {
      LOG.log(Level.WARNING, "refused a connection from {0}: {1}", address, why);
    }
  }

  public synchronized boolean shouldLog(String address, long now) {
    if (now - minute > MINUTE) {
      minute = now;
      lines = 0;
    }
    Long before = logged.get(address);
    if (lines >= MAX_LINES || (before != null && now - before < ADDRESS_PAUSE)) {
      return false;
    }
    lines++;
    logged.putLast(address, now);
    if (logged.size() > MAX_ADDRESSES) {
      logged.pollFirstEntry();
    }
    return true;
  }
}
