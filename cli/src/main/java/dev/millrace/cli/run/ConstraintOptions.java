package dev.millrace.cli.run;

import dev.millrace.cli.args.Arguments;
import dev.millrace.cli.args.Option;
import dev.millrace.cli.command.CommandException;
import dev.millrace.cli.command.ErrorCode;
import dev.millrace.cli.command.Shell;
import dev.millrace.cli.command.Utf8Decoder;
import dev.millrace.cli.model.EngineOpener;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonException;
import dev.millrace.engine.error.GrammarException;
import dev.millrace.engine.grammar.Grammar;
import dev.millrace.engine.grammar.JsonSchema;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** The options that constrain an answer: a grammar or a JSON schema. */
final class ConstraintOptions {
  static final Option GRAMMAR =
      Option.value("grammar", "FILE", "the answer must follow this GBNF grammar");
  static final Option SCHEMA =
      Option.value("schema", "FILE", "the answer must be JSON of this JSON schema");

  private static final int MAX_BYTES = 1 << 20;

  private ConstraintOptions() {}

  /** The grammar that the answer must follow; null: none. */
  static @Nullable Grammar grammar(Shell shell, Arguments given) throws IOException {
    given.exclude(GRAMMAR, SCHEMA);
    String grammar = given.get(GRAMMAR);
    String schema = given.get(SCHEMA);
    if (grammar == null && schema == null) {
      return null;
    }
    Path file = shell.path(grammar == null ? schema : grammar);
    if (!Files.exists(file)) {
      throw new CommandException(
          ErrorCode.NOT_FOUND,
          (grammar == null ? SCHEMA : GRAMMAR).shown() + ": " + file + " does not exist");
    }
    try {
      Grammar compiled = grammar == null ? schema(file) : Grammar.gbnf(read(file));
      compiled.requireWithinLimits(); // here, where the file is known, and before a model is loaded
      return compiled;
    } catch (GrammarException e) {
      throw EngineOpener.error(file, e);
    }
  }

  private static Grammar schema(Path file) throws IOException {
    try {
      return JsonSchema.compile(Json.object(read(file)).values());
    } catch (JsonException e) {
      throw new CommandException(file + " is not a JSON schema: " + e.getMessage());
    }
  }

  private static String read(Path file) throws IOException {
    if (Files.isDirectory(file)) {
      throw new CommandException(file + " is a directory, not a file");
    }
    if (Files.size(file) > MAX_BYTES) {
      throw new CommandException(file + " is larger than " + MAX_BYTES + " bytes");
    }
    byte[] bytes = Files.readAllBytes(file);
    return Utf8Decoder.decode(bytes, 0, bytes.length, file.toString());
  }
}
