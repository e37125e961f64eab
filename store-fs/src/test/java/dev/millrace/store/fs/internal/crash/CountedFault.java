package dev.millrace.store.fs.internal.crash;

import dev.millrace.store.fs.internal.disk.SimDisk;
import dev.millrace.store.fs.internal.disk.SimDisk.Op;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Counts the operations of a disk from 1, also those that change nothing, and fails one of them. */
final class CountedFault implements SimDisk.Fault {
  private final List<Op> seen = new ArrayList<>();
  private final int number;
  private final @Nullable Error error;
  private boolean paused;

  private CountedFault(int number, @Nullable Error error) {
    this.number = number;
    this.error = error;
  }

  /** Counts, and fails none. */
  static CountedFault counting(SimDisk disk) {
    CountedFault fault = new CountedFault(0, null);
    disk.failBy(fault);
    return fault;
  }

  /** Throws {@code error} at operation {@code number}, with so many thousandths of it done. */
  static CountedFault throwing(SimDisk disk, int number, int thousandths, Error error) {
    CountedFault fault = new CountedFault(number, error);
    disk.failBy(fault, thousandths);
    return fault;
  }

  @Override
  public synchronized @Nullable Throwable at(Op op) {
    if (paused) {
      return null;
    }
    seen.add(op);
    return seen.size() == number ? error : null;
  }

  /** Runs something whose operations do not count. */
  void pause(Runnable observation) {
    paused = true;
    observation.run();
    paused = false;
  }

  synchronized int count() {
    return seen.size();
  }

  synchronized Op op(int of) {
    return seen.get(of - 1);
  }
}
