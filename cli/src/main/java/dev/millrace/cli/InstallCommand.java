package dev.millrace.cli;

import dev.millrace.cli.args.Arguments;
import dev.millrace.cli.args.Option;
import dev.millrace.cli.args.Syntax;
import dev.millrace.cli.command.Command;
import dev.millrace.cli.command.CommandException;
import dev.millrace.cli.command.Shell;
import java.util.List;

/**
 * {@code millrace install}: its help. The launcher does it ({@code install.sh}), because it must
 * work before the first build.
 */
final class InstallCommand implements Command {
  private static final Option SHARE =
      Option.value(
          "share",
          "DIR",
          "where man pages and completions go (default: share beside\n"
              + "DIR, if DIR is called bin; else nowhere)");
  private static final Option FORCE =
      Option.flag("force", "replace files that are not Millrace's").letter('f');
  private static final Option REMOVE = Option.flag("remove", "remove what was installed in DIR");
  private static final Option NO_JSON = Option.flag("json", "");

  @Override
  public Syntax syntax() {
    return new Syntax(
        "install",
        List.of("DIR [options]", "--remove DIR [options]"),
        "Puts millrace, wrk, flw and nrvnad into DIR, which should be on your PATH.",
        List.of(SHARE, FORCE, REMOVE, NO_JSON),
        """
        These are links to this clone or unpacked distribution, which stays where it is. DIR is
        created if it does not exist. Man pages and completions for bash, zsh and fish are
        linked, too; a clone is built first. Repeat the command after an upgrade.
        Examples:
          ./millrace install ~/.local/bin
          sudo /opt/millrace/bin/millrace install /usr/local/bin
          millrace install --remove ~/.local/bin
        Exit status: 0 done, 1 something is in the way or failed, 2 wrong usage.
        """);
  }

  @Override
  public int run(Shell shell, Arguments arguments) {
    throw new CommandException(
        "install is a command of the launcher; start that instead of the jar");
  }
}
