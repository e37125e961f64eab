package dev.millrace.cli.run;

import dev.millrace.cli.args.Arguments;
import dev.millrace.cli.args.Option;
import dev.millrace.cli.args.Syntax;
import dev.millrace.cli.command.Command;
import dev.millrace.cli.command.CommandException;
import dev.millrace.cli.command.ExitCode;
import dev.millrace.cli.command.Shell;
import dev.millrace.cli.options.EngineOptions;
import dev.millrace.cli.terminal.SanitizedText;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import dev.millrace.engine.error.EngineException;
import dev.millrace.engine.gguf.GgufException;
import dev.millrace.engine.internal.gguf.Gguf;
import dev.millrace.engine.token.TokenDecoder;
import dev.millrace.engine.token.Tokenizer;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/** {@code millrace tokenize}: prints the token ids of the text on stdin. */
public final class TokenizeCommand implements Command {
  private static final Option NO_BOS =
      Option.flag("no-bos", "add no token, such as BOS, that is not in the text");
  private static final Option SPECIAL =
      Option.flag("special", "parse control tokens in the text, such as <|eot_id|>");

  @Override
  public Syntax syntax() {
    return new Syntax(
        "tokenize",
        List.of("--model MODEL [options] < TEXT"),
        "Prints the token ids of exactly the bytes on stdin.",
        List.of(EngineOptions.MODEL, NO_BOS, SPECIAL),
        "The ids are on one line, separated by spaces. --json prints one object: ids, pieces (the\n"
            + "text of each token by itself), count.");
  }

  @Override
  public int run(Shell shell, Arguments given) throws IOException {
    given.requireAtMost(0);
    Path model = EngineOptions.model(shell, given).file();
    Tokenizer tokenizer = open(model);
    byte[] text = shell.in().readNBytes(Tokenizer.LONGEST_TEXT + 1);
    int[] ids;
    try {
      ids = tokenizer.encode(text, !given.has(NO_BOS), given.has(SPECIAL));
    } catch (EngineException e) {
      throw new CommandException(e.getMessage());
    }
    shell.out().println(given.has(Option.JSON) ? Json.write(json(tokenizer, ids)) : line(ids));
    return ExitCode.OK;
  }

  private static Tokenizer open(Path model) {
    try (Gguf gguf = Gguf.open(model)) {
      return Tokenizer.of(gguf.metadata());
    } catch (GgufException e) { // names the file itself
      throw new CommandException(SanitizedText.line(e.getMessage(), 1000));
    } catch (EngineException e) {
      throw new CommandException(SanitizedText.line(model + ": " + e.getMessage(), 3000));
    }
  }

  private static String line(int[] ids) {
    return Arrays.stream(ids).mapToObj(Integer::toString).collect(Collectors.joining(" "));
  }

  private static JsonObject json(Tokenizer tokenizer, int[] ids) {
    List<String> pieces = Arrays.stream(ids).mapToObj(id -> piece(tokenizer, id)).toList();
    return JsonObject.create()
        .put("ids", Arrays.stream(ids).boxed().toList())
        .put("pieces", pieces)
        .put("count", ids.length);
  }

  private static String piece(Tokenizer tokenizer, int id) {
    TokenDecoder decoder = tokenizer.decoder().withSpecial();
    return decoder.next(id) + decoder.end();
  }
}
