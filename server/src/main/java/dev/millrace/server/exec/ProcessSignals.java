package dev.millrace.server.exec;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import java.util.NoSuchElementException;
import java.util.Optional;

/**
 * {@code kill(2)} and {@code waitpid(2)}, for which Java has no API: {@link ProcessHandle} has no
 * process groups, and {@code /bin/kill} cannot be started when processes or memory run out.
 * Thread-safe.
 */
final class ProcessSignals {

  /** The signals that are sent, with their POSIX numbers. */
  enum Signal {
    /** Sends nothing; only checks whether the target exists. */
    NONE(0),
    KILL(9),
    TERM(15);

    private final int number;

    Signal(int number) {
      this.number = number;
    }
  }

  private static final StructLayout ERRNO = Linker.Option.captureStateLayout();
  private static final VarHandle ERRNO_VALUE =
      ERRNO.varHandle(MemoryLayout.PathElement.groupElement("errno"));
  private static final int NO_SUCH_PROCESS = 3;
  private static final int DO_NOT_WAIT = 1;

  private final MethodHandle kill;
  private final MethodHandle waitpid;

  private ProcessSignals(MethodHandle kill, MethodHandle waitpid) {
    this.kill = kill;
    this.waitpid = waitpid;
  }

  /** Empty on a platform without foreign functions, or without permission to use them. */
  @SuppressWarnings("restricted")
  static Optional<ProcessSignals> open() {
    try {
      Linker linker = Linker.nativeLinker();
      MethodHandle kill =
          linker.downcallHandle(
              linker.defaultLookup().findOrThrow("kill"),
              FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT),
              Linker.Option.captureCallState("errno"));
      MethodHandle waitpid =
          linker.downcallHandle(
              linker.defaultLookup().findOrThrow("waitpid"),
              FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT));
      return Optional.of(new ProcessSignals(kill, waitpid));
    } catch (UnsupportedOperationException | IllegalCallerException | NoSuchElementException e) {
      return Optional.empty();
    }
  }

  /**
   * @param target a process, or a process group if negative
   * @return whether it exists
   */
  boolean send(long target, Signal signal) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment errno = arena.allocate(ERRNO);
      int code = (int) kill.invokeExact(errno, Math.toIntExact(target), signal.number);
      // Any other error (a program that changed its user) means that the target exists.
      return code == 0 || (int) ERRNO_VALUE.get(errno, 0L) != NO_SUCH_PROCESS;
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
  }

  /**
   * Reaps the zombies of a group. Orphans belong to process 1. In a container that is often this
   * process, and Java does not reap children that it did not start.
   */
  void reap(long group) {
    try {
      while ((int) waitpid.invokeExact(Math.toIntExact(-group), MemorySegment.NULL, DO_NOT_WAIT)
          > 0) {
        // there may be more
      }
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
  }
}
