package dev.millrace.cluster.internal.transfer;

import dev.millrace.engine.internal.gguf.GgufWriter;
import dev.millrace.engine.internal.gguf.MetadataValueType;
import dev.millrace.engine.internal.gguf.TensorType;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;

/** Model files of random bytes. */
final class ModelFilesForTests {
  private ModelFilesForTests() {}

  static Path write(Path file, int bytes, long seed) throws IOException {
    Files.createDirectories(file.getParent());
    tensor(new GgufWriter().put("general.architecture", "sample"), "a", bytes, seed).write(file);
    return file;
  }

  /** Parts in a directory of their own. */
  static List<Path> split(Path directory, String name, int count, int bytes) throws IOException {
    Files.createDirectories(directory);
    List<Path> parts = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      GgufWriter part =
          new GgufWriter()
              .put("split.no", MetadataValueType.UINT16, i)
              .put("split.count", MetadataValueType.UINT16, count)
              .put("split.tensors.count", MetadataValueType.INT32, count);
      Path file = directory.resolve("%s-%05d-of-%05d.gguf".formatted(name, i + 1, count));
      tensor(part, "t" + i, bytes, i).write(file);
      parts.add(file);
    }
    return parts;
  }

  private static GgufWriter tensor(GgufWriter writer, String name, int bytes, long seed) {
    byte[] data = new byte[bytes];
    new Random(seed).nextBytes(data);
    return writer.tensor(name, TensorType.I8, new long[] {bytes}, MemorySegment.ofArray(data));
  }

  /** Of the files one after the other, by other code than that which is tested. */
  static String sha256(List<Path> files) throws IOException {
    var digest = Sha256Hash.digest();
    for (Path file : files) {
      digest.update(Files.readAllBytes(file));
    }
    return HexFormat.of().formatHex(digest.digest());
  }

  static long bytes(List<Path> files) throws IOException {
    long bytes = 0;
    for (Path file : files) {
      bytes += Files.size(file);
    }
    return bytes;
  }
}
