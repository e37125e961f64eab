package dev.millrace.engine.internal.kernel;

import dev.millrace.engine.api.KernelType;
import dev.millrace.engine.internal.gguf.TensorInfo;
import dev.millrace.engine.internal.gguf.TensorType;
import dev.millrace.engine.internal.math.Arithmetic;
import dev.millrace.engine.internal.math.SiluGelu;
import dev.millrace.engine.internal.nativecode.NativeKernels;
import dev.millrace.engine.internal.tensor.Activations;
import dev.millrace.engine.internal.tensor.ComputePool;
import dev.millrace.engine.internal.tensor.Matrix;
import dev.millrace.engine.internal.tensor.VectorWidth;
import java.lang.System.Logger.Level;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Objects;
import java.util.Random;
import java.util.Set;

/**
 * Which kernels compute in this process. Native ones are compared with the scalar oracle, bit for
 * bit, before anything else computes with them; after any difference they are not used.
 */
public final class KernelChoice {
  /** More than a band of rows, and the last rows do not fill a vector. */
  private static final int ROWS = 43;

  /** Two superblocks. */
  private static final int COLUMNS = 512;

  /** The rows of activations of the widest tile, and some more. */
  private static final int COUNT = 11;

  /** Of these, so many are different: the oracle is slow. */
  private static final int DIFFERENT = 2;

  private static final Set<TensorType> NATIVE_TYPES =
      EnumSet.of(TensorType.Q4_0, TensorType.Q4_K, TensorType.Q6_K, TensorType.Q8_0);

  private static final System.Logger LOG = System.getLogger("dev.millrace.engine");

  private KernelChoice() {}

  /** The kernels that compute where these are asked for. */
  public static KernelType of(KernelType asked) {
    return asked == KernelType.NATIVE && !reasonAgainstNative().isEmpty()
        ? KernelType.VECTOR
        : asked;
  }

  /** Why native kernels are not used; empty if they are. */
  public static String reasonAgainstNative() {
    return Test.REASON;
  }

  /** The instruction set of native kernels, as "avx512"; empty if there are none. */
  public static String nativeSet() {
    return Objects.toString(NativeKernels.instructionSet(), "");
  }

  /** Whether native kernels multiply weights of this type with activations of eight bits. */
  public static boolean multipliesBytes(TensorType type) {
    return NATIVE_TYPES.contains(type) && type != TensorType.Q8_0;
  }

  /** For people: "native avx512", "vectors of 512 bits" or "scalar". */
  public static String describe(KernelType kernels) {
    return switch (of(kernels)) {
      case NATIVE -> "native " + NativeKernels.instructionSet();
      case VECTOR -> "vectors of " + VectorWidth.BITS + " bits";
      case SCALAR -> "scalar";
    };
  }

  /** Makes a matrix of random rows with the kernels that are tested. */
  @FunctionalInterface
  interface Candidate {
    Matrix load(TensorPacker packing, int rows);
  }

  /** Done once, when first asked for. */
  private static final class Test {
    static final String REASON;

    static {
      boolean loaded = NativeKernels.instructionSet() != null;
      REASON = loaded ? difference(KernelChoice::load) : NativeKernels.reason();
      if (REASON.isEmpty()) {
        LOG.log(Level.INFO, "kernels: native {0}", NativeKernels.instructionSet());
      } else {
        Level level = loaded || NativeKernels.hasFailed() ? Level.WARNING : Level.INFO;
        LOG.log(level, "kernels: vectors of Java, as {0}", REASON);
      }
    }
  }

  /** Says which kernel differs from the oracle; empty if none does. */
  static String difference(Candidate candidate) {
    try (ComputePool pool = new ComputePool(1);
        Arena arena = Arena.ofConfined()) {
      for (TensorType type : NATIVE_TYPES) {
        if (differs(candidate, type, pool, arena)) {
          return "the "
              + NativeKernels.instructionSet()
              + " kernel of "
              + type
              + " differs from the scalar oracle on this processor";
        }
      }
      return activationDiffers()
          ? "the "
              + NativeKernels.instructionSet()
              + " kernel of SiLU and GELU differs from the scalar oracle"
          : "";
    }
  }

  /** Without vectors: the doctor's JVM has none. */
  private static boolean activationDiffers() {
    Random random = new Random(1);
    float[] expected = new float[ROWS];
    float[] factors = new float[ROWS];
    for (int i = 0; i < ROWS; i++) {
      expected[i] = (float) random.nextGaussian() * 20;
      factors[i] = (float) random.nextGaussian();
    }
    float[] found = expected.clone();
    Arithmetic oracle = Arithmetic.of(KernelType.SCALAR);
    MemorySegment x = MemorySegment.ofArray(found);
    MemorySegment y = MemorySegment.ofArray(factors);
    oracle.siluMul(expected, 0, factors, 0, ROWS);
    NativeKernels.gate(x, 0, ROWS, SiluGelu.SILU_CUBE, SiluGelu.SILU_SLOPE, y, 0);
    oracle.geluTanhMul(expected, 1, factors, 2, ROWS - 2);
    NativeKernels.gate(x, 1, ROWS - 2, SiluGelu.GELU_CUBE, SiluGelu.GELU_SLOPE, y, 2);
    return !Arrays.equals(expected, found);
  }

  private static boolean differs(
      Candidate candidate, TensorType type, ComputePool pool, Arena arena) {
    Random random = new Random(type.ordinal());
    TensorInfo tensor = new TensorInfo("test", type, new long[] {COLUMNS, ROWS}, 0, 0);
    byte[] weights = new byte[Math.toIntExact(tensor.bytes())];
    random.nextBytes(weights);
    TensorPacker.Source source =
        (t, offset, target) ->
            MemorySegment.copy(
                MemorySegment.ofArray(weights), offset, target, 0, target.byteSize());
    float[] inputs = new float[DIFFERENT * COLUMNS];
    for (int i = 0; i < inputs.length; i++) {
      inputs[i] =
          i % 3 == 0 ? random.nextInt(-254, 255) / 2f : (float) random.nextGaussian(); // ties
    }
    for (int i = 0; i < inputs.length; i += 64) {
      inputs[i] = 127;
    }
    float[] expected = new float[DIFFERENT * ROWS];
    load(new TensorPacker(KernelType.SCALAR, pool, arena, source, tensor, 0), ROWS)
        .multiply(
            0, ROWS, prepared(inputs, KernelType.SCALAR), 0, DIFFERENT, expected, 0, ROWS, 0, 0);
    Activations x = prepared(inputs, KernelType.NATIVE);
    Matrix other =
        candidate.load(new TensorPacker(KernelType.NATIVE, pool, arena, source, tensor, 0), ROWS);
    float[] found = new float[COUNT * ROWS];
    for (int count = 1; count <= COUNT; count++) { // each has a tile of another size
      other.multiply(0, ROWS, x, 0, count, found, 0, ROWS, 0, 0);
      for (int i = 0; i < count * ROWS; i++) {
        float same = expected[i / ROWS % DIFFERENT * ROWS + i % ROWS];
        if (Float.floatToRawIntBits(found[i]) != Float.floatToRawIntBits(same)) {
          return true;
        }
      }
    }
    return false;
  }

  private static Activations prepared(float[] inputs, KernelType kernels) {
    Activations x = new Activations(COLUMNS, COUNT, true, kernels);
    for (int row = 0; row < COUNT; row++) {
      System.arraycopy(inputs, row % DIFFERENT * COLUMNS, x.values, row * COLUMNS, COLUMNS);
      x.prepareRow(row);
    }
    return x;
  }

  private static Matrix load(TensorPacker packing, int rows) {
    return MatrixLoader.load(packing, rows, Path.of("test"));
  }
}
