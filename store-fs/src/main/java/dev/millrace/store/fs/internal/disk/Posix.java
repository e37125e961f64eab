package dev.millrace.store.fs.internal.disk;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;

/** The few system calls that Java has no API for. */
@SuppressWarnings("restricted") // foreign functions: the launcher and the manifest allow them
final class Posix {
  private static final Linker LINKER = Linker.nativeLinker();
  private static final StructLayout ERRNO = Linker.Option.captureStateLayout();
  private static final VarHandle ERRNO_VALUE =
      ERRNO.varHandle(MemoryLayout.PathElement.groupElement("errno"));
  private static final boolean MAC =
      System.getProperty("os.name", "").toLowerCase(Locale.ROOT).contains("mac");

  private static final int READ_WRITE = 2;
  private static final int CREATE = MAC ? 0x200 : 0x40;

  /** Child processes must not inherit the descriptor: they would hold the lock after our end. */
  private static final int CLOSE_ON_EXEC = MAC ? 0x1000000 : 0x80000;

  static final int LOCK_EXCLUSIVE = 2;
  static final int LOCK_NOW = 4;
  private static final int WOULD_BLOCK = MAC ? 35 : 11;
  private static final int INTERRUPTED = 4;
  private static final int NO_PERMISSION = 13;
  private static final int NO_SPACE = 28;
  private static final int READ_ONLY = 30;

  private final MethodHandle open;
  private final MethodHandle close;
  private final MethodHandle flock;
  private final Optional<MethodHandle> syncfs;

  Posix() {
    FunctionDescriptor ofInt = FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT);
    FunctionDescriptor ofInts =
        FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_INT);
    Linker.Option capture = Linker.Option.captureCallState("errno");
    this.open =
        LINKER.downcallHandle(
            LINKER.defaultLookup().findOrThrow("open"),
            FunctionDescriptor.of(
                ValueLayout.JAVA_INT,
                ValueLayout.ADDRESS,
                ValueLayout.JAVA_INT,
                ValueLayout.JAVA_INT),
            Linker.Option.firstVariadicArg(2),
            capture);
    this.close = LINKER.downcallHandle(LINKER.defaultLookup().findOrThrow("close"), ofInt, capture);
    this.flock =
        LINKER.downcallHandle(LINKER.defaultLookup().findOrThrow("flock"), ofInts, capture);
    this.syncfs =
        LINKER
            .defaultLookup()
            .find("syncfs")
            .map(address -> LINKER.downcallHandle(address, ofInt, capture));
  }

  boolean hasSyncfs() {
    return syncfs.isPresent();
  }

  /** Opens for reading and writing, creating the file; the descriptor is not inherited. */
  int openFile(Path path) throws IOException {
    return open(path, READ_WRITE | CREATE | CLOSE_ON_EXEC);
  }

  /** Opens a file or a directory that exists, for a lock or a sync. */
  int openToRead(Path path) throws IOException {
    return open(path, CLOSE_ON_EXEC);
  }

  private int open(Path path, int flags) throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment errno = arena.allocate(ERRNO);
      MemorySegment name = arena.allocateFrom(path.toString());
      int fd = (int) open.invokeExact(errno, name, flags, 0600);
      if (fd < 0) {
        throw failed("open", path.toString(), errno);
      }
      return fd;
    } catch (IOException e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
  }

  void close(int fd) throws IOException {
    call(close, "close", fd);
  }

  /** False if another open file holds the lock. */
  boolean tryLock(int fd) throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment errno = arena.allocate(ERRNO);
      while (true) {
        if ((int) flock.invokeExact(errno, fd, LOCK_EXCLUSIVE | LOCK_NOW) == 0) {
          return true;
        }
        int code = (int) ERRNO_VALUE.get(errno, 0L);
        if (code == WOULD_BLOCK) {
          return false;
        }
        if (code != INTERRUPTED) {
          throw failed("flock", "the lock file", errno);
        }
      }
    } catch (IOException e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
  }

  void syncfs(int fd) throws IOException {
    call(syncfs.orElseThrow(), "syncfs", fd);
  }

  private static void call(MethodHandle function, String name, int fd) throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment errno = arena.allocate(ERRNO);
      if ((int) function.invokeExact(errno, fd) != 0) {
        throw failed(name, "descriptor " + fd, errno);
      }
    } catch (IOException e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
  }

  private static IOException failed(String call, String on, MemorySegment errno) {
    int code = (int) ERRNO_VALUE.get(errno, 0L);
    return switch (code) {
      case NO_SPACE -> new FileSystemException(on, null, "No space left on device");
      case READ_ONLY -> new FileSystemException(on, null, "Read-only file system");
      case NO_PERMISSION -> new AccessDeniedException(on);
      default -> new IOException(call + " of " + on + " failed with errno " + code);
    };
  }
}
