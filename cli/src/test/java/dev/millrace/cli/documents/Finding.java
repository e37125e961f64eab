package dev.millrace.cli.documents;

import java.nio.file.Path;

/** Something that a document says and that is not so. */
public record Finding(Path file, int line, String problem) {
  @Override
  public String toString() {
    return file + ":" + line + ": " + problem;
  }
}
