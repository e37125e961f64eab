package dev.millrace.engine.internal.tensor;

import dev.millrace.engine.error.EngineException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import org.jspecify.annotations.Nullable;

/**
 * Allocates zeroed memory outside of the heap that becomes resident only when it is written. An
 * arena's own allocation fills it with zeros and so makes all of it resident at once; calloc gets
 * large areas from the kernel untouched.
 */
@SuppressWarnings("restricted")
public final class LazyMemory {
  private static final long ALIGNMENT = 64;
  private static final long PAGE = 4096;

  /** Linux: MADV_HUGEPAGE. */
  private static final int HUGE_PAGES = 14;

  private static final MethodHandle CALLOC =
      handle(
          "calloc",
          FunctionDescriptor.of(ValueLayout.ADDRESS, ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG));

  private static final MethodHandle FREE =
      handle("free", FunctionDescriptor.ofVoid(ValueLayout.ADDRESS));

  private static final @Nullable MethodHandle MADVISE =
      System.getProperty("os.name").equals("Linux")
          ? handle(
              "madvise",
              FunctionDescriptor.of(
                  ValueLayout.JAVA_INT,
                  ValueLayout.ADDRESS,
                  ValueLayout.JAVA_LONG,
                  ValueLayout.JAVA_INT))
          : null;

  private LazyMemory() {}

  private static MethodHandle handle(String name, FunctionDescriptor type) {
    Linker linker = Linker.nativeLinker();
    return linker.downcallHandle(linker.defaultLookup().findOrThrow(name), type);
  }

  /**
   * Memory that lives as long as the arena, aligned to a cache line.
   *
   * @param purpose what it is for, as an error names it
   */
  public static MemorySegment allocate(long bytes, Arena arena, String purpose) {
    MemorySegment raw = calloc(Math.addExact(bytes, ALIGNMENT));
    if (raw.address() == 0) {
      throw new EngineException("cannot allocate " + (bytes >> 20) + " MiB for " + purpose);
    }
    MemorySegment owned = raw.reinterpret(bytes + ALIGNMENT, arena, LazyMemory::free);
    return owned.asSlice(-raw.address() & (ALIGNMENT - 1), bytes);
  }

  /**
   * The same in pages of 2 MiB where the system has them: what is read from end to end for every
   * token would else spend its time looking up pages.
   */
  public static MemorySegment allocateHuge(long bytes, Arena arena, String purpose) {
    MemorySegment memory = allocate(bytes, arena, purpose);
    long from = memory.address() + PAGE - 1 & -PAGE;
    long length = memory.address() + bytes - from & -PAGE;
    if (MADVISE != null && length >= 512 * PAGE) {
      try {
        // Advice only: a system that ignores it uses small pages.
        int ignored = (int) MADVISE.invokeExact(MemorySegment.ofAddress(from), length, HUGE_PAGES);
      } catch (Throwable e) {
        throw new AssertionError("madvise throws nothing", e);
      }
    }
    return memory;
  }

  private static MemorySegment calloc(long bytes) {
    try {
      return (MemorySegment) CALLOC.invokeExact(1L, bytes);
    } catch (Throwable e) {
      throw new AssertionError("calloc throws nothing", e);
    }
  }

  private static void free(MemorySegment raw) {
    try {
      FREE.invokeExact(raw);
    } catch (Throwable e) {
      throw new AssertionError("free throws nothing", e);
    }
  }
}
