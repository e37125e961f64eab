package dev.millrace.cluster.transfer;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;

/** A model whose hash is known, for as long as its files do not change. */
record Known(String sha256, List<Stamp> stamps, Chunks chunks) {
  /** A file as it was when it was read. */
  record Stamp(Path file, long bytes, long modified, String key) {
    static Stamp of(Path file) throws IOException {
      BasicFileAttributes found = Files.readAttributes(file, BasicFileAttributes.class);
      return new Stamp(
          file,
          found.size(),
          found.lastModifiedTime().to(java.util.concurrent.TimeUnit.NANOSECONDS),
          String.valueOf(found.fileKey()));
    }
  }

  Known {
    stamps = List.copyOf(stamps);
  }

  static List<Stamp> stamps(List<Path> files) throws IOException {
    List<Stamp> stamps = new ArrayList<>();
    for (Path file : files) {
      stamps.add(Stamp.of(file));
    }
    return stamps;
  }

  List<Path> files() {
    return stamps.stream().map(Stamp::file).toList();
  }

  /** Whether the files are still those that were read. */
  boolean holds() {
    try {
      return stamps(files()).equals(stamps);
    } catch (IOException e) {
      return false;
    }
  }
}
