package dev.millrace.engine.internal.gguf;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Writes a GGUF file: first add keys and tensors, then call {@link #write}. The bytes of the
 * tensors are requested while they are written, a chunk at a time, so a model need not fit into
 * memory.
 */
public final class GgufWriter {
  private static final int CHUNK = 1 << 20;

  /** Supplies the bytes of a tensor. */
  @FunctionalInterface
  public interface Source {
    /**
     * Fills {@code chunk}, native memory that any thread may write, with the tensor's bytes,
     * starting at {@code offset}. It is called in the order of the bytes, for whole rows if a row
     * fits into a chunk (1 MiB), else for whole blocks.
     */
    void fill(long offset, MemorySegment chunk) throws IOException;
  }

  private record Tensor(String name, TensorType type, long[] shape, Source source) {
    long length() {
      return new TensorInfo(name, type, shape, 0, 0).length();
    }

    long bytes() {
      return type.rowBytes(length());
    }
  }

  private final int version;
  private final Map<String, byte[]> values = new LinkedHashMap<>();
  private final List<Tensor> tensors = new ArrayList<>();
  private final Set<String> names = new HashSet<>();
  private int alignment = TensorListReader.USUAL_ALIGNMENT;

  /** A writer of the current version, 3. */
  public GgufWriter() {
    this(3);
  }

  /** A writer of version 2 or 3, which differ only in the number. */
  public GgufWriter(int version) {
    if (version != 2 && version != 3) {
      throw new IllegalArgumentException("the version must be 2 or 3, not " + version);
    }
    this.version = version;
  }

  /** Aligns the tensors to a power of two other than 32 bytes, and says so in the file. */
  public GgufWriter alignment(int bytes) {
    return put(TensorListReader.ALIGNMENT, bytes);
  }

  public GgufWriter put(String key, String value) {
    return put(key, MetadataValueType.STRING, value);
  }

  /** Puts a UINT32, the type that readers expect of counts and token ids. */
  public GgufWriter put(String key, int value) {
    return put(key, MetadataValueType.UINT32, value);
  }

  public GgufWriter put(String key, float value) {
    return put(key, MetadataValueType.FLOAT32, value);
  }

  public GgufWriter put(String key, boolean value) {
    return put(key, MetadataValueType.BOOL, value);
  }

  public GgufWriter put(String key, String... values) {
    return put(key, MetadataValueType.STRING, values);
  }

  /** Puts an array of INT32. */
  public GgufWriter put(String key, int... values) {
    return put(key, MetadataValueType.INT32, values);
  }

  public GgufWriter put(String key, float... values) {
    return put(key, MetadataValueType.FLOAT32, values);
  }

  /**
   * Puts a value of any type. A Java array of any kind is an array of {@code type}; a Java array of
   * arrays is an array of such arrays. A later value replaces an earlier one of the same key.
   *
   * @throws IllegalArgumentException if a value does not fit the type
   */
  public GgufWriter put(String key, MetadataValueType type, Object value) {
    if (key.equals(TensorListReader.ALIGNMENT)) {
      if (!(value instanceof Number bytes && TensorListReader.isAlignment(bytes.longValue()))) {
        throw new IllegalArgumentException("the alignment must be a power of two, not " + value);
      }
      alignment = bytes.intValue();
    }
    HeaderEncoder encoding = new HeaderEncoder();
    encoding.writeValue(type, value);
    values.put(key, encoding.bytes());
    return this;
  }

  /** Adds a tensor, whose shape lists the fastest-varying extent first. */
  public GgufWriter tensor(String name, TensorType type, long[] shape, Source source) {
    Tensor tensor = new Tensor(name, type, shape.clone(), source);
    if (shape.length < 1
        || shape.length > TensorListReader.MOST_DIMENSIONS
        || tensor.length() < 1) {
      throw new IllegalArgumentException(name + ": no shape: " + Arrays.toString(shape));
    }
    if (shape[0] % type.blockLength() != 0) {
      throw new IllegalArgumentException(
          name
              + ": rows of "
              + type
              + " are a multiple of "
              + type.blockLength()
              + " long, not "
              + shape[0]);
    }
    if (!names.add(name)) {
      throw new IllegalArgumentException(name + ": there is a tensor of this name");
    }
    tensors.add(tensor);
    return this;
  }

  /** Adds a tensor whose bytes are in memory. */
  public GgufWriter tensor(String name, TensorType type, long[] shape, MemorySegment bytes) {
    if (new TensorInfo(name, type, shape, 0, 0).bytes() != bytes.byteSize()) {
      throw new IllegalArgumentException(name + ": " + bytes.byteSize() + " bytes do not fit");
    }
    return tensor(
        name,
        type,
        shape,
        (offset, chunk) -> MemorySegment.copy(bytes, offset, chunk, 0, chunk.byteSize()));
  }

  /** Adds a tensor of F32. */
  public GgufWriter tensor(String name, long[] shape, float... numbers) {
    return tensor(name, TensorType.F32, shape, MemorySegment.ofArray(numbers));
  }

  /** Writes the file and replaces an existing one; after an error, no file is left. */
  public void write(Path file) throws IOException {
    try (Arena arena = Arena.ofShared();
        FileChannel channel =
            FileChannel.open(
                file,
                StandardOpenOption.CREATE,
                StandardOpenOption.TRUNCATE_EXISTING,
                StandardOpenOption.WRITE)) {
      MemorySegment chunk = arena.allocate(CHUNK, 64);
      writeFully(channel, ByteBuffer.wrap(header()));
      pad(channel);
      for (Tensor tensor : tensors) {
        write(channel, tensor, chunk);
        pad(channel);
      }
    } catch (Throwable e) {
      Files.deleteIfExists(file);
      throw e;
    }
  }

  private byte[] header() {
    HeaderEncoder out = new HeaderEncoder();
    out.writeHeader(version, tensors.size(), values.size());
    values.forEach((key, value) -> out.writeString(key).writeRaw(value));
    long offset = 0;
    for (Tensor tensor : tensors) {
      out.writeTensor(tensor.name(), tensor.shape(), tensor.type(), offset);
      offset = TensorListReader.align(offset + tensor.bytes(), alignment);
    }
    return out.bytes();
  }

  private static void write(FileChannel channel, Tensor tensor, MemorySegment chunk)
      throws IOException {
    long row = tensor.type().rowBytes(tensor.shape()[0]);
    long unit = row <= CHUNK ? row : tensor.type().blockBytes();
    for (long done = 0; done < tensor.bytes(); ) {
      MemorySegment part = chunk.asSlice(0, Math.min(CHUNK / unit * unit, tensor.bytes() - done));
      tensor.source().fill(done, part);
      writeFully(channel, part.asByteBuffer());
      done += part.byteSize();
    }
  }

  private void pad(FileChannel channel) throws IOException {
    long end = channel.position();
    writeFully(channel, ByteBuffer.allocate((int) (TensorListReader.align(end, alignment) - end)));
  }

  private static void writeFully(FileChannel channel, ByteBuffer buffer) throws IOException {
    while (buffer.hasRemaining()) {
      channel.write(buffer);
    }
  }
}
