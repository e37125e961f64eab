package dev.millrace.engine.internal.gguf;

import dev.millrace.engine.gguf.GgufException;
import dev.millrace.engine.gguf.GgufMetadata;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * An open model: one file, or all files of a split model. Opening checks everything that the files
 * state about themselves. Any thread may call all methods.
 */
public final class Gguf implements AutoCloseable {
  private final List<GgufPart> parts;
  private final GgufMetadata metadata;
  private final Map<String, TensorInfo> byName;
  private final List<TensorInfo> tensors;

  private Gguf(List<GgufPart> parts) {
    this.parts = parts;
    this.metadata = metadata(parts.getFirst());
    this.byName = byName(parts);
    this.tensors = List.copyOf(byName.values());
  }

  /**
   * Opens a file and, if it is a part of a split model, all other parts beside it.
   *
   * @throws GgufException if a file cannot be read or breaks a rule of the format, or if the parts
   *     do not belong together
   */
  public static Gguf open(Path file) {
    List<GgufPart> parts = new ArrayList<>();
    try {
      parts.add(GgufPart.open(file));
      SplitFileName.openOtherParts(parts);
      return new Gguf(List.copyOf(parts));
    } catch (Throwable e) {
      parts.forEach(GgufPart::close);
      throw e;
    }
  }

  /** The file, or the first part of a split model. */
  public Path file() {
    return parts.getFirst().file();
  }

  /** All files, in the order of their parts. */
  public List<Path> files() {
    return parts.stream().map(GgufPart::file).toList();
  }

  /** The keys and values; those of a split model are in its first part. */
  public GgufMetadata metadata() {
    return metadata;
  }

  /** All tensors, in the order of the files. */
  public List<TensorInfo> tensors() {
    return tensors;
  }

  public Optional<TensorInfo> tensor(String name) {
    return Optional.ofNullable(byName.get(name));
  }

  /**
   * Fills {@code target} with the tensor's bytes from {@code offset} on. Any thread may call it. An
   * interrupt while it reads closes the file for all threads.
   */
  public void read(TensorInfo tensor, long offset, MemorySegment target) {
    Objects.checkFromIndexSize(offset, target.byteSize(), tensor.bytes());
    parts.get(tensor.part()).read(tensor.offset() + offset, target);
  }

  @Override
  public void close() {
    parts.forEach(GgufPart::close);
  }

  static GgufMetadata metadata(GgufPart part) {
    return new GgufMetadata(part.header().values(), part.file().toString());
  }

  private static Map<String, TensorInfo> byName(List<GgufPart> parts) {
    Map<String, TensorInfo> all = new LinkedHashMap<>();
    for (int i = 0; i < parts.size(); i++) {
      for (TensorInfo tensor : parts.get(i).header().tensors()) {
        TensorInfo placed =
            new TensorInfo(tensor.name(), tensor.type(), tensor.shape(), i, tensor.offset());
        TensorInfo other = all.put(tensor.name(), placed);
        if (other != null) {
          throw new GgufException(
              parts.get(i).file()
                  + ": tensor "
                  + GgufStrings.quote(tensor.name())
                  + " is in "
                  + parts.get(other.part()).file().getFileName()
                  + " too");
        }
      }
    }
    return all;
  }
}
