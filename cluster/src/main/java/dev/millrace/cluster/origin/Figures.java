package dev.millrace.cluster.origin;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/** What is counted since the origin started, by any thread. */
final class Figures {
  final LongAdder opened = new LongAdder();
  final LongAdder broken = new LongAdder();
  final LongAdder lost = new LongAdder();
  final LongAdder recoveries = new LongAdder();
  final AtomicLong lastRecoveryNanos = new AtomicLong();
  final LongAdder audits = new LongAdder();
  final LongAdder auditsIncomplete = new LongAdder();
  final LongAdder auditsSkipped = new LongAdder();
  final LongAdder lies = new LongAdder();
  final LongAdder bytesSent = new LongAdder();
  final LongAdder bytesReceived = new LongAdder();
}
