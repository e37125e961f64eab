package dev.millrace.cli.serve;

import dev.millrace.cli.args.Arguments;
import dev.millrace.cli.args.Option;
import dev.millrace.cli.args.Syntax;
import dev.millrace.cli.args.UsageException;
import dev.millrace.cli.command.Command;
import dev.millrace.cli.command.CommandException;
import dev.millrace.cli.command.ErrorText;
import dev.millrace.cli.command.ExitCode;
import dev.millrace.cli.command.Shell;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import dev.millrace.http.auth.ApiKeyFile;
import dev.millrace.http.auth.KeyScope;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** {@code millrace apikey}: creates, lists and removes keys for the HTTP API. */
public final class ApiKeyCommand implements Command {
  private static final Option FILE =
      Option.value("file", "F", "the file of keys, created if it does not exist");
  private static final Option SCOPE =
      Option.value(
          "scope",
          "LIST",
          "what the key allows: read, submit, work, admin, joined\n"
              + "by commas (default read,submit)");
  private static final Option REMOVE = Option.flag("remove", "remove the key of that name");
  private static final Option LIST = Option.flag("list", "list names and scopes");

  @Override
  public Syntax syntax() {
    return new Syntax(
        "apikey",
        List.of(
            "NAME --file F [--scope LIST] [--json]", "NAME --file F --remove", "--file F --list"),
        "Creates a key for the HTTP API and prints it once: the file keeps only its hash.",
        List.of(FILE, SCOPE, REMOVE, LIST),
        """
        A running server reads the file again when it changes. To replace a key, create one with
        another name, distribute it, then remove the old one.
        Examples:
          millrace apikey nightly --file keys --scope read,submit
          millrace serve --workspace ./ws --model house --bind 0.0.0.0 --api-key-file keys
          curl -H "Authorization: Bearer $KEY" http://HOST:8080/v1/jobs\
        """);
  }

  @Override
  public int run(Shell shell, Arguments given) {
    given.exclude(REMOVE, LIST);
    given.exclude(REMOVE, SCOPE);
    given.exclude(LIST, SCOPE);
    String file = given.get(FILE);
    if (file == null) {
      throw new UsageException("--file F is required: the file with the hashes of the keys");
    }
    given.requireAtMost(given.has(LIST) ? 0 : 1);
    if (!given.has(LIST) && given.words().isEmpty()) {
      throw new UsageException("no NAME for the key");
    }
    Path path = shell.path(file);
    Path directory = path.toAbsolutePath().getParent();
    if (directory != null && !Files.isDirectory(directory)) {
      throw new CommandException(
          "no directory " + directory + " for the file of keys; create it first");
    }
    try {
      if (given.has(LIST)) {
        return list(shell, path, given.has(Option.JSON));
      }
      String name = given.words().getFirst();
      return given.has(REMOVE) ? remove(shell, path, name) : make(shell, path, name, given);
    } catch (IllegalArgumentException e) {
      throw new CommandException(e.getMessage());
    } catch (IOException e) {
      throw new CommandException("cannot use " + path + ": " + ErrorText.of(e));
    }
  }

  private static int make(Shell shell, Path path, String name, Arguments given) throws IOException {
    String scopes = given.get(SCOPE);
    String key = ApiKeyFile.add(path, name, scopes(scopes == null ? "read,submit" : scopes));
    shell.printLine(
        given.has(Option.JSON)
            ? Json.write(JsonObject.create().put("name", name).put("key", key))
            : key);
    return ExitCode.OK;
  }

  private static int remove(Shell shell, Path path, String name) throws IOException {
    if (!ApiKeyFile.remove(path, name)) {
      throw new CommandException("no key is called \"" + name + "\" in " + path);
    }
    shell.err().println("removed " + name);
    return ExitCode.OK;
  }

  private static int list(Shell shell, Path path, boolean json) throws IOException {
    for (ApiKeyFile.Line line : ApiKeyFile.read(path)) {
      List<String> words = new ArrayList<>();
      line.scopes().stream().sorted().forEach(scope -> words.add(scope.word()));
      shell.printLine(
          json
              ? Json.write(JsonObject.create().put("name", line.name()).put("scopes", words))
              : line.name() + " " + String.join(",", words));
    }
    return ExitCode.OK;
  }

  private static Set<KeyScope> scopes(String text) {
    Set<KeyScope> scopes = EnumSet.noneOf(KeyScope.class);
    for (String word : text.split(",", -1)) {
      try {
        scopes.add(ApiKeyFile.scope(word));
      } catch (IllegalArgumentException e) {
        throw new CommandException(SCOPE.shown() + ": " + e.getMessage());
      }
    }
    return scopes;
  }
}
