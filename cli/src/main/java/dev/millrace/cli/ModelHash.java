package dev.millrace.cli;

import dev.millrace.engine.gguf.Gguf;
import dev.millrace.engine.gguf.GgufException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;

/** The SHA-256 of a model as receipts have it: of one file as sha256sum(1), of parts as of one. */
final class ModelHash {
  private static final int CHUNK = 1 << 20;

  private ModelHash() {}

  static String of(Path file) {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      byte[] chunk = new byte[CHUNK];
      for (Path part : parts(file)) {
        try (InputStream in = Files.newInputStream(part)) {
          for (int count = in.read(chunk); count >= 0; count = in.read(chunk)) {
            digest.update(chunk, 0, count);
          }
        }
      }
      return HexFormat.of().formatHex(digest.digest());
    } catch (IOException e) {
      throw new Refusal("cannot read " + file + ": " + Explain.of(e));
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("every Java platform has SHA-256", e);
    }
  }

  private static List<Path> parts(Path file) {
    try (Gguf gguf = Gguf.open(file)) {
      return List.copyOf(gguf.files());
    } catch (GgufException e) {
      return List.of(file); // no model at all: then not the one that is looked for
    }
  }
}
