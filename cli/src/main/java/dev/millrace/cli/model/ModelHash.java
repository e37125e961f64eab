package dev.millrace.cli.model;

import dev.millrace.cli.command.CommandException;
import dev.millrace.cli.command.ErrorText;
import dev.millrace.server.infer.model.ModelFileHasher;
import java.io.IOException;
import java.nio.file.Path;

/** Computes the SHA-256 of a model, as in receipts. */
public final class ModelHash {
  private ModelHash() {}

  public static String of(Path file) {
    try {
      return ModelFileHasher.of(file);
    } catch (IOException e) {
      throw new CommandException("cannot read " + file + ": " + ErrorText.of(e));
    }
  }
}
