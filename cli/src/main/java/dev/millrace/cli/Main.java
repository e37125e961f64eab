package dev.millrace.cli;

import dev.millrace.cli.args.ArgumentParser;
import dev.millrace.cli.args.Option;
import dev.millrace.cli.args.Syntax;
import dev.millrace.cli.args.UsageException;
import dev.millrace.cli.command.Command;
import dev.millrace.cli.command.CommandException;
import dev.millrace.cli.command.ErrorCode;
import dev.millrace.cli.command.ErrorPrinter;
import dev.millrace.cli.command.ErrorText;
import dev.millrace.cli.command.ExitCode;
import dev.millrace.cli.command.HelpText;
import dev.millrace.cli.command.ProcessTerminal;
import dev.millrace.cli.command.RawArguments;
import dev.millrace.cli.command.Shell;
import dev.millrace.cli.command.StandardOutput;
import dev.millrace.cli.command.SuggestedCommand;
import dev.millrace.cli.command.Version;
import dev.millrace.cli.log.Log;
import dev.millrace.core.store.StoreException;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Set;

/** The entry point of the program: finds the command, runs it, and turns errors into exit codes. */
public final class Main {
  /** The commands that run threads of their own. */
  private static final Set<String> SERVERS = Set.of("serve", "nrvnad", "node", "batch", "demo");

  private Main() {}

  public static void main(String[] args) {
    System.setProperty("slf4j.internal.verbosity", "ERROR"); // that libraries do not log is no news
    StandardOutput output = StandardOutput.standard();
    PrintStream err =
        new PrintStream(new FileOutputStream(FileDescriptor.err), true, StandardCharsets.UTF_8);
    Shell shell =
        new Shell(
            System.in,
            output.stream(),
            err,
            System.getenv(),
            Path.of("").toAbsolutePath(),
            new ProcessTerminal());
    int status = output.status(start(shell, args), new ErrorPrinter(shell, asksForJson(args)));
    if (args.length > 0 && SERVERS.contains(args[0])) {
      System.exit(status); // a worker may have left threads that are not daemons
    } else if (status != ExitCode.OK) {
      // Not System.exit: that looks for a logger first, and a short command has no time for it.
      Runtime.getRuntime().halt(status);
    }
  }

  private static int start(Shell shell, String[] args) {
    try {
      return run(shell, RawArguments.of(args));
    } catch (CommandException e) {
      new ErrorPrinter(shell, asksForJson(args)).print(e);
      return ExitCode.FAILED;
    }
  }

  /** Runs one command and returns its exit status. Never ends the JVM. */
  static int run(Shell shell, String... args) {
    try {
      return args.length == 0 ? CommandOverview.print(shell) : dispatch(shell, args);
    } finally {
      shell.out().flush();
      shell.err().flush();
    }
  }

  private static int dispatch(Shell shell, String[] args) {
    Command command = CommandRegistry.find(args[0]);
    if (command == null) {
      return switch (args[0]) {
        case AotTraining.ARGUMENT -> AotTraining.run(shell);
        case DistributionFiles.ARGUMENT -> DistributionFiles.run(shell, args);
        default -> CommandOverview.unknown(new ErrorPrinter(shell, asksForJson(args)), args[0]);
      };
    }
    Syntax syntax = command.syntax();
    if (ArgumentParser.asks(syntax, Option.HELP, args, 1)) {
      shell.out().print(HelpText.of(syntax));
      return ExitCode.OK;
    }
    if (ArgumentParser.asks(syntax, Option.VERSION, args, 1)) {
      shell.out().println("millrace " + Version.number());
      return ExitCode.OK;
    }
    Log.configure(
        shell.environment(),
        command.logsToOutput() ? shell.out() : shell.err(),
        shell.err(),
        command.logsAtInfo());
    VectorModule.loadIfAsked();
    return run(shell, command, args);
  }

  private static int run(Shell shell, Command command, String[] args) {
    ErrorPrinter errors = new ErrorPrinter(shell, asksForJson(args));
    try {
      return command.run(shell, ArgumentParser.parse(command.syntax(), args, 1));
    } catch (UsageException e) {
      errors.printUsage(e.getMessage(), SuggestedCommand.of(args[0], Option.HELP.shown()));
      return command.usageStatus();
    } catch (CommandException e) {
      errors.print(e);
      return ExitCode.FAILED;
    } catch (StoreException | IOException e) {
      errors.print(ErrorCode.STORE, ErrorText.of(e));
      Log.trace(e);
      return ExitCode.FAILED;
    } catch (InterruptedException e) {
      errors.print(ErrorCode.INTERRUPTED, "interrupted");
      return ExitCode.INTERRUPTED;
    } catch (RuntimeException | Error e) {
      errors.print(
          ErrorCode.INTERNAL, "internal: " + e + " (set MILLRACE_LOG_LEVEL=debug for details)");
      Log.trace(e);
      return ExitCode.INTERNAL;
    }
  }

  /** Whether errors are to be JSON, even if the command line is wrong otherwise. */
  private static boolean asksForJson(String[] args) {
    for (int i = 0; i < args.length && !args[i].equals("--"); i++) {
      if (args[i].equals(Option.JSON.shown())) {
        return true;
      }
    }
    return false;
  }
}
