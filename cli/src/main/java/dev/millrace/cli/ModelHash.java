package dev.millrace.cli;

import dev.millrace.server.infer.FileHashes;
import java.io.IOException;
import java.nio.file.Path;

/** The SHA-256 of a model as receipts have it. */
final class ModelHash {
  private ModelHash() {}

  static String of(Path file) {
    try {
      return FileHashes.of(file);
    } catch (IOException e) {
      throw new Refusal("cannot read " + file + ": " + Explain.of(e));
    }
  }
}
