package dev.millrace.cluster.internal.plan;

import dev.millrace.cluster.OriginStats;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/** Counts since the origin started. Any thread. */
public final class OriginCounters {
  public final LongAdder opened = new LongAdder();
  public final LongAdder broken = new LongAdder();
  public final LongAdder lost = new LongAdder();
  public final LongAdder recoveries = new LongAdder();
  public final AtomicLong lastRecoveryNanos = new AtomicLong();
  public final LongAdder audits = new LongAdder();
  public final LongAdder auditsIncomplete = new LongAdder();
  public final LongAdder auditsSkipped = new LongAdder();
  public final LongAdder lies = new LongAdder();
  public final LongAdder bytesSent = new LongAdder();
  public final LongAdder bytesReceived = new LongAdder();

  public OriginStats.PipeCounts pipeCounts() {
    return new OriginStats.PipeCounts(
        opened.sum(), broken.sum(), lost.sum(), recoveries.sum(), lastRecoveryNanos.get());
  }

  public OriginStats.AuditCounts auditCounts() {
    return new OriginStats.AuditCounts(
        audits.sum(), auditsIncomplete.sum(), auditsSkipped.sum(), lies.sum());
  }
}
