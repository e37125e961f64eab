package dev.millrace.engine.internal.gguf;

import dev.millrace.engine.gguf.GgufException;
import dev.millrace.engine.gguf.GgufMetadata;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The name of a part of a split model, {@code NAME-00001-of-00003.gguf}, and the keys that connect
 * the parts. Both are as llama.cpp's gguf-split writes them: names count from 1, {@code split.no}
 * from 0.
 */
record SplitFileName(String name, int number, int count) {
  private static final Pattern NAME = Pattern.compile("(.*)-(\\d{5})-of-(\\d{5})\\.gguf");
  private static final String NO = "split.no";
  private static final String COUNT = "split.count";
  private static final String TENSORS = "split.tensors.count";

  /** Parses the name of a file; empty if it has another form. */
  static Optional<SplitFileName> of(Path file) {
    Matcher matcher = NAME.matcher(String.valueOf(file.getFileName()));
    if (!matcher.matches()) {
      return Optional.empty();
    }
    return Optional.of(
        new SplitFileName(
            matcher.group(1),
            Integer.parseInt(matcher.group(2)),
            Integer.parseInt(matcher.group(3))));
  }

  /** The name of part {@code number}, counted from 1. */
  String partFileName(int number) {
    return String.format("%s-%05d-of-%05d.gguf", name, number, count);
  }

  /**
   * Expands a list of one part to a list of all parts in their order. A file without the keys of a
   * part stays alone, whatever its name is.
   */
  static void openOtherParts(List<GgufPart> parts) {
    GgufPart opened = parts.getFirst();
    GgufMetadata metadata = Gguf.metadata(opened);
    int count = metadata.integer(COUNT, 1);
    if (count == 0 || count == 1) {
      return;
    }
    SplitFileName split = named(opened.file(), metadata, count);
    for (int number = 1; number <= count; number++) {
      if (number != split.number) {
        parts.add(open(opened, split, number));
        check(parts.getLast(), number, metadata);
      }
    }
    parts.sort(Comparator.comparingInt(part -> Gguf.metadata(part).integer(NO)));
    total(parts, metadata);
  }

  private static SplitFileName named(Path file, GgufMetadata metadata, int count) {
    SplitFileName split = of(file).orElse(null);
    long number = metadata.integer(NO) + 1L;
    if (split == null || split.number != number || split.count != count) {
      throw new GgufException(
          file
              + ": \""
              + NO
              + "\" and \""
              + COUNT
              + "\" say that this is part "
              + number
              + " of "
              + count
              + "; its name must end with "
              + String.format("-%05d-of-%05d.gguf", number, count)
              + " for the other parts to be found");
    }
    return split;
  }

  private static GgufPart open(GgufPart opened, SplitFileName split, int number) {
    Path file = opened.file().resolveSibling(split.partFileName(number));
    if (!Files.exists(file)) {
      throw new GgufException(
          opened.file()
              + ": part "
              + number
              + " of "
              + split.count
              + " is missing; it must be at "
              + file);
    }
    return GgufPart.open(file);
  }

  private static void check(GgufPart part, int number, GgufMetadata of) {
    GgufMetadata metadata = Gguf.metadata(part);
    same(part, metadata, NO, number - 1);
    same(part, metadata, COUNT, of.integer(COUNT));
    same(part, metadata, TENSORS, of.integer(TENSORS));
  }

  private static void same(GgufPart part, GgufMetadata metadata, String key, int expected) {
    int value = metadata.integer(key);
    if (value != expected) {
      throw new GgufException(
          part.file()
              + ": \""
              + key
              + "\" must be "
              + expected
              + " to fit the other parts, not "
              + value);
    }
  }

  private static void total(List<GgufPart> parts, GgufMetadata metadata) {
    int tensors = parts.stream().mapToInt(part -> part.header().tensors().size()).sum();
    if (tensors != metadata.integer(TENSORS)) {
      throw new GgufException(
          parts.getFirst().file()
              + ": \""
              + TENSORS
              + "\" says "
              + metadata.integer(TENSORS)
              + " tensors, but the "
              + parts.size()
              + " parts have "
              + tensors);
    }
  }
}
