package dev.millrace.cluster.internal.transfer;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;

/** A model and its hash, valid while its files do not change. */
record HashedModel(String sha256, List<FileStamp> stamps, ChunkHashes chunks) {
  /** A file's attributes when it was read; a change shows that the file changed. */
  record FileStamp(Path file, long bytes, long modified, String key) {
    static FileStamp of(Path file) throws IOException {
      BasicFileAttributes found = Files.readAttributes(file, BasicFileAttributes.class);
      return new FileStamp(
          file,
          found.size(),
          found.lastModifiedTime().to(java.util.concurrent.TimeUnit.NANOSECONDS),
          String.valueOf(found.fileKey()));
    }
  }

  HashedModel {
    stamps = List.copyOf(stamps);
  }

  static List<FileStamp> stamps(List<Path> files) throws IOException {
    List<FileStamp> stamps = new ArrayList<>();
    for (Path file : files) {
      stamps.add(FileStamp.of(file));
    }
    return stamps;
  }

  List<Path> files() {
    return stamps.stream().map(FileStamp::file).toList();
  }

  /** Whether the files have not changed since they were read. */
  boolean isUnchanged() {
    try {
      return stamps(files()).equals(stamps);
    } catch (IOException e) {
      return false;
    }
  }
}
