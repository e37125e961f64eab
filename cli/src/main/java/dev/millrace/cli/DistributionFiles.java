package dev.millrace.cli;

import dev.millrace.cli.command.Command;
import dev.millrace.cli.command.ErrorText;
import dev.millrace.cli.command.ExitCode;
import dev.millrace.cli.command.JarLocation;
import dev.millrace.cli.command.Shell;
import dev.millrace.cli.command.Version;
import dev.millrace.cli.manual.ManualEntry;
import dev.millrace.cli.manual.ManualFiles;
import dev.millrace.core.internal.hash.Sha256;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * Writes what the distribution has beside the jar and can only be known from it: man pages and
 * completions in {@code share}, and the jar's identity for the launcher's cache in {@code lib}. The
 * build runs it, and {@code millrace install} in a clone.
 */
final class DistributionFiles {
  /** Not a command for users, so not in the usage. */
  static final String ARGUMENT = "--distribution-files";

  /** Programs of their own, by the command that they start. */
  private static final Map<String, String> PROGRAMS =
      Map.of("work", "wrk", "flow", "flw", "nrvnad", "nrvnad");

  private DistributionFiles() {}

  static int run(Shell shell, String... args) {
    if (args.length != 2) {
      shell.err().println("Error: " + ARGUMENT + " needs a directory");
      return ExitCode.USAGE;
    }
    try {
      Path directory = shell.path(args[1]);
      ManualFiles.write(directory.resolve("share"), entries(), Version.number());
      Optional<Path> jar = JarLocation.find();
      if (jar.isPresent()) {
        writeId(jar.get(), Files.createDirectories(directory.resolve("lib")));
      }
      return ExitCode.OK;
    } catch (IOException e) {
      shell.err().println("Error: " + ErrorText.of(e));
      return ExitCode.FAILED;
    }
  }

  /** All jars of reproducible builds bear the same time; this tells their caches apart. */
  private static void writeId(Path jar, Path lib) throws IOException {
    byte[] hash = Sha256.digest().digest(Files.readAllBytes(jar));
    Files.writeString(lib.resolve("millrace.id"), HexFormat.of().formatHex(hash, 0, 8) + "\n");
  }

  /** All commands, with nrvna's daemon, which the overview shows as an alias. */
  static List<ManualEntry> entries() {
    List<ManualEntry> entries = new ArrayList<>();
    for (CommandRegistry.Entry entry : CommandRegistry.ALL) {
      entries.add(entry(entry.name(), entry.summary()));
    }
    entries.add(entry("nrvnad", "process the prompts of a workspace, as nrvna's daemon does"));
    return entries;
  }

  private static ManualEntry entry(String name, String summary) {
    Command command = Objects.requireNonNull(CommandRegistry.find(name));
    String brief = summary.replaceFirst(" \\(alias: .*", "");
    return new ManualEntry(PROGRAMS.getOrDefault(name, ""), brief, command.syntax());
  }
}
