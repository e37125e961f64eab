package dev.millrace.cli.network;

import dev.millrace.cli.args.Arguments;
import dev.millrace.cli.args.Option;
import dev.millrace.cli.args.Syntax;
import dev.millrace.cli.command.Command;
import dev.millrace.cli.command.CommandException;
import dev.millrace.cli.command.ExitCode;
import dev.millrace.cli.command.Shell;
import dev.millrace.cli.terminal.SanitizedText;
import dev.millrace.cluster.ClusterException;
import dev.millrace.cluster.NetworkKey;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** {@code millrace keygen}: creates the key that the nodes of a network share. */
public final class KeygenCommand implements Command {
  @Override
  public Syntax syntax() {
    return new Syntax(
        "keygen",
        List.of("[FILE] [--json]"),
        "Creates a key for a network of nodes, and prints it or writes it to FILE.",
        List.of(),
        """
        A key holder can join the network, as a node or as an origin: copy it over a trusted
        channel. FILE must not exist yet, and only its owner may read it (mode 0600). Without FILE,
        or with "-", the key is printed.
        Example:
          millrace keygen net.key\
        """);
  }

  @Override
  public int run(Shell shell, Arguments given) {
    given.requireAtMost(1);
    NetworkKey key = NetworkKey.generate();
    if (given.words().isEmpty() || given.words().getFirst().equals("-")) {
      shell.printLine(
          given.has(Option.JSON)
              ? Json.write(JsonObject.create().put("key", key.fileLine()))
              : key.fileLine());
      return ExitCode.OK;
    }
    Path path = shell.path(given.words().getFirst());
    write(key, path);
    if (given.has(Option.JSON)) {
      shell.printLine(Json.write(JsonObject.create().put("file", path.toString())));
    } else {
      shell.err().println("wrote " + SanitizedText.line(path.toString(), 500));
    }
    return ExitCode.OK;
  }

  private static void write(NetworkKey key, Path path) {
    Path directory = path.toAbsolutePath().getParent();
    if (directory != null && !Files.isDirectory(directory)) {
      throw new CommandException(
          "no directory "
              + SanitizedText.line(directory.toString(), 500)
              + " for the key; create it first");
    }
    try {
      key.write(path);
    } catch (ClusterException e) {
      throw new CommandException(SanitizedText.line(e.getMessage(), 1000));
    }
  }
}
