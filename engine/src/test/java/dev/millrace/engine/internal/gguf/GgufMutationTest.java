package dev.millrace.engine.internal.gguf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import com.sun.management.ThreadMXBean;
import dev.millrace.engine.gguf.GgufException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Any file is either a model whose every tensor can be read, or rejected with its name and an
 * offset; and neither takes more memory than fits a small file.
 */
@Timeout(value = 300, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class GgufMutationTest {
  private static final long[] BOUNDARIES = {
    0,
    1,
    3,
    31,
    32,
    255,
    65_536,
    1L << 24,
    1L << 31,
    1L << 32,
    Integer.MAX_VALUE,
    (1L << 32) - 1,
    1L << 60,
    Long.MAX_VALUE,
    Long.MIN_VALUE,
    -1,
    -64
  };
  private static final int ROUNDS = Boolean.getBoolean("millrace.proof") ? 300_000 : 5_000;
  private static final long MOST_ALLOCATED = 4 << 20;
  private static final Pattern MESSAGE = Pattern.compile(".*: byte \\d+: .+", Pattern.DOTALL);

  private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
  @TempDir Path dir;
  private Path file;
  private FileChannel channel;
  private byte[] valid;
  private int header;

  @BeforeEach
  void write() throws IOException {
    file = SampleGguf.write(dir.resolve("mutated.gguf"), 3);
    valid = Files.readAllBytes(file);
    try (Gguf model = Gguf.open(file)) {
      header = Math.toIntExact(model.tensors().getFirst().offset());
    }
    channel = FileChannel.open(file, StandardOpenOption.WRITE);
  }

  @AfterEach
  void close() throws IOException {
    channel.close();
  }

  /** Writes a file that starts with these bytes and opens it; returns whether it is a model. */
  private boolean opens(byte[] bytes, String what) throws IOException {
    channel.write(ByteBuffer.wrap(bytes), 0);
    long before = threads.getCurrentThreadAllocatedBytes();
    try (Gguf model = Gguf.open(file)) {
      model.tensors().forEach(tensor -> readable(model, tensor, what));
      return true;
    } catch (GgufException e) {
      if (!MESSAGE.matcher(e.getMessage()).matches() || !e.getMessage().startsWith("" + file)) {
        fail(what + ": " + e.getMessage());
      }
      return false;
    } catch (RuntimeException | Error e) {
      return fail(what + ": " + e, e);
    } finally {
      long allocated = threads.getCurrentThreadAllocatedBytes() - before;
      if (allocated > MOST_ALLOCATED) {
        fail(what + " allocated " + allocated);
      }
    }
  }

  private void readable(Gguf model, TensorInfo tensor, String what) {
    if (tensor.bytes() > valid.length
        || (long) tensor.columns() * tensor.rows() != tensor.length()) {
      fail(what + ": " + tensor);
    }
    model.read(tensor, 0, MemorySegment.ofArray(new byte[(int) tensor.bytes()]));
  }

  @Test
  void everyTruncationOfTheHeaderIsRejected() throws IOException {
    for (int length = 0; length < header; length++) {
      channel.truncate(length);
      assertThat(opens(Arrays.copyOf(valid, length), "cut to " + length))
          .as("cut to " + length)
          .isFalse();
    }
  }

  @Test
  void everyFlippedBitGivesAModelOrAnError() throws IOException {
    int models = 0;
    int refused = 0;
    for (int at = 0; at < header; at++) {
      for (int flip : new int[] {1, 2, 4, 8, 16, 32, 64, 128, 255}) {
        byte[] bytes = Arrays.copyOf(valid, header);
        bytes[at] ^= (byte) flip;
        if (opens(bytes, "byte " + at + " ^ " + flip)) {
          models++;
        } else {
          refused++;
        }
      }
    }
    assertThat(models).as("flips that change no rule").isPositive();
    assertThat(refused).as("flips that break a rule").isGreaterThan(models / 2);
  }

  @Test
  void boundaryNumbersAtEveryOffsetGiveAModelOrAnError() throws IOException {
    for (int at = 0; at < header - 8; at++) {
      ByteBuffer at32 = ByteBuffer.wrap(valid).order(ByteOrder.LITTLE_ENDIAN);
      for (long boundary : BOUNDARIES) {
        byte[] bytes = Arrays.copyOf(valid, header);
        ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).putLong(at, boundary);
        opens(bytes, "int64 " + boundary + " at " + at);
      }
      for (int delta : new int[] {-1, 1}) {
        byte[] bytes = Arrays.copyOf(valid, header);
        ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).putInt(at, at32.getInt(at) + delta);
        opens(bytes, "int32 + " + delta + " at " + at);
      }
    }
  }

  @Test
  void severalRandomMutationsGiveAModelOrAnError() throws IOException {
    long seed = Long.getLong("millrace.seed", System.nanoTime());
    Random random = new Random(seed);
    for (int round = 0; round < ROUNDS; round++) {
      byte[] bytes = Arrays.copyOf(valid, header);
      for (int mutations = 1 + random.nextInt(4); mutations > 0; mutations--) {
        mutate(bytes, random);
      }
      opens(bytes, "-Dmillrace.seed=" + seed + ", round " + round);
    }
  }

  private void mutate(byte[] bytes, Random random) {
    int at = random.nextInt(header - 8);
    ByteBuffer buffer = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    long boundary = BOUNDARIES[random.nextInt(BOUNDARIES.length)];
    switch (random.nextInt(5)) {
      case 0 -> bytes[at] = (byte) random.nextInt();
      case 1 -> buffer.putInt(at, (int) boundary);
      case 2 -> buffer.putLong(at, boundary + random.nextInt(3) - 1);
      case 3 -> System.arraycopy(valid, random.nextInt(header - 64), bytes, at, 8);
      default -> buffer.putLong(at, random.nextLong() >>> random.nextInt(64));
    }
  }

  /** Sparse files cost nothing to make, and their length makes large counts valid. */
  @Test
  void countsThatFitAHugeFileAreBoundedToo() throws IOException {
    for (int type : new int[] {0, 8, 9, 10}) {
      for (long count : new long[] {1 << 23, (1 << 23) + 1, 1L << 30, 1L << 40}) {
        ByteBuffer out = ByteBuffer.allocate(64).order(ByteOrder.LITTLE_ENDIAN);
        out.putInt(0x46554747).putInt(3).putLong(0).putLong(1);
        out.putLong(1).put((byte) 'k').putInt(9).putInt(type).putLong(count);
        Files.write(file, Arrays.copyOf(out.array(), out.position()));
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
          channel.write(ByteBuffer.allocate(1), 1L << 42);
        }
        long before = threads.getCurrentThreadAllocatedBytes();
        try {
          Gguf.open(file).close();
          assertThat(count).isEqualTo(1 << 23);
        } catch (GgufException e) {
          assertThat(e.getMessage()).contains("byte ");
        }
        assertThat(threads.getCurrentThreadAllocatedBytes() - before)
            .as("type " + type + " times " + count)
            .isLessThan(600L << 20);
      }
    }
  }
}
