package dev.millrace.cli.documents;

import java.nio.file.Path;

/** A wrong statement of a document. */
public record DocumentFinding(Path file, int line, String problem) {
  @Override
  public String toString() {
    return file + ":" + line + ": " + problem;
  }
}
