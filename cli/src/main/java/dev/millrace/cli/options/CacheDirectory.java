package dev.millrace.cli.options;

import dev.millrace.cli.args.Arguments;
import dev.millrace.cli.args.Option;
import dev.millrace.cli.command.Shell;
import java.nio.file.Path;

/** The directory for models that were fetched from other nodes, and for hashes of local ones. */
public final class CacheDirectory {
  public static final Option OPTION =
      Option.value(
          "cache-dir",
          "DIR",
          "where fetched models and hashes of files are kept\n" + "(default ~/.cache/millrace)");

  private CacheDirectory() {}

  public static Path of(Shell shell, Arguments given) {
    String named = given.get(OPTION);
    if (named != null) {
      return shell.path(named).toAbsolutePath().normalize();
    }
    String caches = shell.variable("XDG_CACHE_HOME");
    String home = shell.variable("HOME");
    Path all =
        caches != null
            ? shell.path(caches)
            : Path.of(home == null ? System.getProperty("user.home") : home).resolve(".cache");
    return all.resolve("millrace").toAbsolutePath().normalize();
  }
}
