package dev.millrace.cli.doctor;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.file.Path;
import java.util.OptionalLong;

/** Measures {@code syncfs(2)}, with which a server syncs many jobs at once. */
final class SyncfsProbe {
  private SyncfsProbe() {}

  /** Nanoseconds for one call; empty if the system has no such call. */
  @SuppressWarnings("restricted") // the jar allows native access: its manifest says so
  static OptionalLong time(Path directory) {
    try (Arena arena = Arena.ofConfined()) {
      Linker linker = Linker.nativeLinker();
      SymbolLookup system = linker.defaultLookup();
      if (system.find("syncfs").isEmpty()) {
        return OptionalLong.empty();
      }
      FunctionDescriptor one = FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT);
      MethodHandle open =
          linker.downcallHandle(
              system.findOrThrow("open"),
              FunctionDescriptor.of(
                  ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.JAVA_INT),
              Linker.Option.firstVariadicArg(2));
      MethodHandle close = linker.downcallHandle(system.findOrThrow("close"), one);
      MethodHandle syncfs = linker.downcallHandle(system.findOrThrow("syncfs"), one);
      MemorySegment name = arena.allocateFrom(directory.toString());
      int descriptor = (int) open.invokeExact(name, 0);
      if (descriptor < 0) {
        return OptionalLong.empty();
      }
      long start = System.nanoTime();
      int result = (int) syncfs.invokeExact(descriptor);
      long nanos = System.nanoTime() - start;
      int closed = (int) close.invokeExact(descriptor);
      return result == 0 && closed == 0 ? OptionalLong.of(nanos) : OptionalLong.empty();
    } catch (UnsupportedOperationException | IllegalCallerException e) {
      return OptionalLong.empty();
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
  }
}
