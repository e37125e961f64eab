package dev.millrace.cli.submit;

import static java.nio.file.LinkOption.NOFOLLOW_LINKS;

import dev.millrace.cli.command.CommandException;
import dev.millrace.cli.command.ErrorCode;
import dev.millrace.cli.command.Utf8Decoder;
import dev.millrace.cli.model.EngineOpener;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonException;
import dev.millrace.engine.error.GrammarException;
import dev.millrace.engine.grammar.Grammar;
import dev.millrace.engine.grammar.JsonSchema;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Map;

/** Reads a JSON schema or a grammar that becomes part of a job, and rejects invalid ones. */
final class ConstraintFile {
  private static final int MOST = 1_000_000;

  private ConstraintFile() {}

  /** A JSON schema, verbatim. */
  static String schema(Path file) throws IOException {
    String text = text(file);
    require(file, compile(file, text));
    return text;
  }

  /** The same as a grammar, in the form that nrvna and llama.cpp read. */
  static String gbnf(Path file, String schema) {
    String gbnf = write(file, compile(file, schema));
    if (gbnf.length() > MOST) { // it is ASCII
      throw new CommandException(
          file
              + " makes a grammar that is too large: "
              + gbnf.length()
              + " bytes, at most "
              + MOST
              + "; use shorter enums, fewer properties or smaller counts");
    }
    return gbnf;
  }

  private static String write(Path file, Grammar grammar) {
    try {
      return grammar.toGbnf();
    } catch (GrammarException e) {
      throw EngineOpener.error(file, e);
    }
  }

  private static Grammar compile(Path file, String text) {
    try {
      if (!(Json.parse(text) instanceof Map)) {
        throw new CommandException(
            file + " is not a JSON schema that a result can keep to: it must be an object");
      }
      return JsonSchema.compile(Json.object(text).values());
    } catch (JsonException e) {
      throw new CommandException(file + " is " + e.getMessage());
    } catch (GrammarException e) {
      throw EngineOpener.error(file, e);
    }
  }

  private static void require(Path file, Grammar grammar) {
    try {
      grammar.requireWithinLimits();
    } catch (GrammarException e) {
      throw EngineOpener.error(file, e);
    }
  }

  /** A grammar in GBNF, verbatim. */
  static String grammar(Path file) throws IOException {
    String text = text(file);
    try {
      require(file, Grammar.gbnf(text));
      return text;
    } catch (GrammarException e) {
      throw EngineOpener.error(file, e);
    }
  }

  private static String text(Path file) throws IOException {
    byte[] bytes = bytes(file);
    if (bytes.length == 0) {
      throw new CommandException(file + " is empty");
    }
    if (bytes.length > MOST) {
      throw new CommandException(file + " is too large: at most " + MOST + " bytes");
    }
    return Utf8Decoder.decode(bytes, 0, bytes.length, file.toString());
  }

  private static byte[] bytes(Path file) throws IOException {
    try {
      // Checked before it is opened: opening a FIFO would block until somebody writes to it.
      if (!Files.readAttributes(file, BasicFileAttributes.class, NOFOLLOW_LINKS).isRegularFile()) {
        throw new CommandException(file + " is not a regular file; links are not followed");
      }
      try (InputStream in = Files.newInputStream(file, NOFOLLOW_LINKS)) {
        return in.readNBytes(MOST + 1);
      }
    } catch (NoSuchFileException e) {
      throw new CommandException(ErrorCode.NOT_FOUND, file + " does not exist");
    }
  }
}
