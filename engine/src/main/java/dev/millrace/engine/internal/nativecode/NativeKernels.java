package dev.millrace.engine.internal.nativecode;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.millrace.engine.error.EngineException;
import java.io.IOException;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The native kernels for this processor, or the reason why there are none. Loaded once, when first
 * asked for. A call runs without leaving Java's thread state, so that arrays need no copy: it holds
 * up a garbage collection, and is therefore kept short by its callers.
 */
public final class NativeKernels {
  /** {@code void f(weights, bandBytes, rows, blocks, bytes, scales, sums, minus, row, count, out, at, stride)} */
  private static final FunctionDescriptor PRODUCT =
      FunctionDescriptor.ofVoid(
          JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_INT, ADDRESS, ADDRESS, ADDRESS, ADDRESS, JAVA_INT,
          JAVA_INT, ADDRESS, JAVA_LONG, JAVA_LONG);

  /** {@code void f(weights, bandBytes, rows, blocks, values, row, count, out, at, stride)} */
  private static final FunctionDescriptor FLOAT_PRODUCT =
      FunctionDescriptor.ofVoid(
          JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT, JAVA_INT, ADDRESS, JAVA_LONG,
          JAVA_LONG);

  /** {@code void f(source, rowBytes, blocks, band, side)} */
  private static final FunctionDescriptor PACK =
      FunctionDescriptor.ofVoid(JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_INT);

  /** {@code void f(values, blocks, block, bytes, scales, sums, minus8, minus32)} */
  private static final FunctionDescriptor QUANTIZE =
      FunctionDescriptor.ofVoid(
          ADDRESS, JAVA_INT, JAVA_LONG, ADDRESS, ADDRESS, ADDRESS, ADDRESS, ADDRESS);

  /** {@code void f(x, at, n, cube, slope, factors, first)} */
  private static final FunctionDescriptor ELEMENTS =
      FunctionDescriptor.ofVoid(
          ADDRESS, JAVA_LONG, JAVA_INT, JAVA_FLOAT, JAVA_FLOAT, ADDRESS, JAVA_LONG);

  private static final @Nullable InstructionSet SET;
  private static final String REASON;
  private static final boolean FAILED;

  // Constants, so that calls compile to calls.
  private static final @Nullable MethodHandle Q4_0;
  private static final @Nullable MethodHandle Q4_K;
  private static final @Nullable MethodHandle Q6_K;
  private static final @Nullable MethodHandle Q8_0;
  private static final @Nullable MethodHandle PACK_Q4_0;
  private static final @Nullable MethodHandle PACK_Q4_K;
  private static final @Nullable MethodHandle PACK_Q6_K;
  private static final @Nullable MethodHandle PACK_Q8_0;
  private static final @Nullable MethodHandle ROUND;
  private static final @Nullable MethodHandle GATE;
  private static final @Nullable MethodHandle PEAK;

  static {
    Functions functions = Functions.load();
    SET = functions.set;
    REASON = functions.reason;
    FAILED = functions.hasFailed;
    Q4_0 = functions.find("q4_0", PRODUCT);
    Q4_K = functions.find("q4_k", PRODUCT);
    Q6_K = functions.find("q6_k", PRODUCT);
    Q8_0 = functions.find("q8_0", FLOAT_PRODUCT);
    PACK_Q4_0 = functions.find("pack_q4_0", PACK);
    PACK_Q4_K = functions.find("pack_q4_k", PACK);
    PACK_Q6_K = functions.find("pack_q6_k", PACK);
    PACK_Q8_0 = functions.find("pack_q8_0", PACK);
    ROUND = functions.find("quantize", QUANTIZE);
    GATE = functions.find("gate", ELEMENTS);
    PEAK = functions.find("peak", FunctionDescriptor.of(JAVA_INT, JAVA_LONG));
  }

  private NativeKernels() {}

  /** The instruction set of the kernels; null if there are none. */
  public static @Nullable InstructionSet instructionSet() {
    return SET;
  }

  /** Why there are no kernels; empty if there are. */
  public static String reason() {
    return REASON;
  }

  /** Whether there should be kernels, but they could not be loaded. */
  public static boolean hasFailed() {
    return FAILED;
  }

  /** The functions of the library for one instruction set. */
  private record Functions(
      @Nullable SymbolLookup library,
      @Nullable InstructionSet set,
      String reason,
      boolean hasFailed) {

    static Functions load() {
      if (InstructionSet.areOff()) {
        return none(InstructionSet.PROPERTY + " is off");
      }
      if (!NativeLibrary.isCarried()) {
        return none("there are none for " + NativeLibrary.platform());
      }
      try {
        SymbolLookup library = NativeLibrary.load();
        InstructionSet set = InstructionSet.choose(processor(library));
        return set == null
            ? none("the processor has neither AVX-512 with VNNI nor AVX2")
            : new Functions(library, set, "", false);
      } catch (NoSuchFileException e) {
        return failed("there is no directory " + Path.of(String.valueOf(e.getFile())).getParent());
      } catch (FileSystemException e) {
        return failed("the library cannot be unpacked: " + e);
      } catch (IOException | EngineException | LinkageError | IllegalCallerException e) {
        return failed(String.valueOf(e.getMessage()));
      }
    }

    private static Functions none(String reason) {
      return new Functions(null, null, reason, false);
    }

    private static Functions failed(String reason) {
      return new Functions(null, null, reason, true);
    }

    @SuppressWarnings("restricted")
    private static int processor(SymbolLookup library) {
      try {
        return (int)
            Linker.nativeLinker()
                .downcallHandle(
                    library.findOrThrow("millrace_cpu"), FunctionDescriptor.of(JAVA_INT))
                .invokeExact();
      } catch (Throwable e) {
        throw unexpected(e);
      }
    }

    @SuppressWarnings("restricted")
    @Nullable MethodHandle find(String name, FunctionDescriptor type) {
      return library == null
          ? null
          : Linker.nativeLinker()
              .downcallHandle(
                  library.findOrThrow("millrace_" + name + "_" + set),
                  type,
                  Linker.Option.critical(true));
    }
  }

  /** What a product needs of the rows of activations: see {@code struct activations} in C. */
  public record Operands(
      MemorySegment values,
      MemorySegment bytes,
      MemorySegment scales,
      MemorySegment sums,
      MemorySegment minus8,
      MemorySegment minus32) {}

  /** The formats that have kernels. */
  public enum Format {
    Q4_0,
    Q4_K,
    Q6_K,
    Q8_0;

    /** The one of that name; null if there is none. */
    public static @Nullable Format named(String name) {
      return Arrays.stream(values()).filter(it -> it.name().equals(name)).findFirst().orElse(null);
    }
  }

  /**
   * Multiplies {@code rows} rows of bands from an address on with {@code count} rows of x from
   * {@code row} on: {@code out[at + c * stride + r]}.
   */
  public static void multiply(
      Format format,
      long weights,
      long bandBytes,
      int rows,
      int blocks,
      Operands x,
      int row,
      int count,
      MemorySegment out,
      long at,
      long stride) {
    try {
      switch (format) {
        case Q4_0 ->
            Q4_0.invokeExact(
                weights, bandBytes, rows, blocks, x.bytes, x.scales, x.sums, x.minus8, row, count,
                out, at, stride);
        case Q4_K ->
            Q4_K.invokeExact(
                weights, bandBytes, rows, blocks, x.bytes, x.scales, x.sums, x.minus8, row, count,
                out, at, stride);
        case Q6_K ->
            Q6_K.invokeExact(
                weights, bandBytes, rows, blocks, x.bytes, x.scales, x.sums, x.minus32, row, count,
                out, at, stride);
        case Q8_0 ->
            Q8_0.invokeExact(
                weights, bandBytes, rows, blocks, x.values, row, count, out, at, stride);
      }
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  /**
   * Packs 16 rows of a file, at an address and {@code rowBytes} apart, into one side of a band: 0
   * for its first 16 rows, 1 for the others.
   */
  public static void pack(
      Format format, long source, long rowBytes, int blocks, long band, int side) {
    try {
      switch (format) {
        case Q4_0 -> PACK_Q4_0.invokeExact(source, rowBytes, blocks, band, side);
        case Q4_K -> PACK_Q4_K.invokeExact(source, rowBytes, blocks, band, side);
        case Q6_K -> PACK_Q6_K.invokeExact(source, rowBytes, blocks, band, side);
        case Q8_0 -> PACK_Q8_0.invokeExact(source, rowBytes, blocks, band, side);
      }
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  /** Rounds blocks of activations from {@code block} on: {@code Activations.prepareRow}. */
  public static void quantize(int blocks, long block, Operands x) {
    try {
      ROUND.invokeExact(x.values, blocks, block, x.bytes, x.scales, x.sums, x.minus8, x.minus32);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  /** {@code x = x / (1 + exp(slope (x + cube x³))) * factor}, for n elements. */
  public static void gate(
      MemorySegment x, long at, int n, float cube, float slope, MemorySegment factors, long first) {
    try {
      GATE.invokeExact(x, at, n, cube, slope, factors, first);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  /** Computes dot products as fast as one thread can; how many products of bytes that were. */
  public static long peak(long loops) {
    try {
      int unused = (int) PEAK.invokeExact(loops);
      return loops * 12 * (SET == null ? 0 : SET.products);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  private static RuntimeException unexpected(Throwable e) {
    return e instanceof RuntimeException known
        ? known
        : new IllegalStateException("a native kernel cannot be called", e);
  }
}
