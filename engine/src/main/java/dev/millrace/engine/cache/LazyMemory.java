package dev.millrace.engine.cache;

import dev.millrace.engine.EngineException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/**
 * Zeroed foreign memory that becomes resident only where it is written to. An arena's own
 * allocation fills what it gives with zeros and so makes all of it resident at once; calloc gets
 * large areas from the kernel as they are.
 */
@SuppressWarnings("restricted")
final class LazyMemory {
  private static final long ALIGNMENT = 64;

  private static final MethodHandle CALLOC =
      handle(
          "calloc",
          FunctionDescriptor.of(ValueLayout.ADDRESS, ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG));

  private static final MethodHandle FREE =
      handle("free", FunctionDescriptor.ofVoid(ValueLayout.ADDRESS));

  private LazyMemory() {}

  private static MethodHandle handle(String name, FunctionDescriptor type) {
    Linker linker = Linker.nativeLinker();
    return linker.downcallHandle(linker.defaultLookup().findOrThrow(name), type);
  }

  /** Memory that lives as long as the arena, aligned to a cache line. */
  static MemorySegment allocate(long bytes, Arena arena) {
    MemorySegment raw = calloc(Math.addExact(bytes, ALIGNMENT));
    if (raw.address() == 0) {
      throw new EngineException(
          "cannot allocate "
              + (bytes >> 20)
              + " MiB for keys and values: use a smaller context or fewer slots");
    }
    MemorySegment owned = raw.reinterpret(bytes + ALIGNMENT, arena, LazyMemory::free);
    return owned.asSlice(-raw.address() & (ALIGNMENT - 1), bytes);
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
