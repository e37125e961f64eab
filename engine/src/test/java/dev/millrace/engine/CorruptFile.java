package dev.millrace.engine;

import dev.millrace.engine.internal.gguf.Gguf;
import dev.millrace.engine.internal.gguf.TensorInfo;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** Damages a file. */
final class CorruptFile {
  private CorruptFile() {}

  /** Makes every number of an F32 tensor NaN. */
  static void withNaN(Path file, String name) throws IOException {
    TensorInfo tensor;
    try (Gguf gguf = Gguf.open(file)) {
      tensor = gguf.tensor(name).orElseThrow();
    }
    ByteBuffer bytes = ByteBuffer.allocate((int) tensor.bytes()).order(ByteOrder.LITTLE_ENDIAN);
    while (bytes.hasRemaining()) {
      bytes.putFloat(Float.NaN);
    }
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      channel.write(bytes.flip(), tensor.offset());
    }
  }
}
