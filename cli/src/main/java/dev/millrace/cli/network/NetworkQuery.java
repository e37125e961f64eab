package dev.millrace.cli.network;

import dev.millrace.cli.args.Arguments;
import dev.millrace.cli.args.Option;
import dev.millrace.cli.args.UsageException;
import dev.millrace.cli.command.CommandException;
import dev.millrace.cli.command.ExitCode;
import dev.millrace.cli.command.Shell;
import dev.millrace.cli.config.ConfigurationUse;
import dev.millrace.cli.options.NetworkOptions;
import dev.millrace.cli.options.NodeOptions;
import dev.millrace.cli.serve.ServeCommand;
import dev.millrace.cli.terminal.SanitizedText;
import dev.millrace.cluster.ClusterException;
import dev.millrace.cluster.HostPort;
import dev.millrace.cluster.NodeState;
import dev.millrace.cluster.query.NodeStateQuery;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import javax.net.ssl.SSLContext;

/**
 * Asks a network for its nodes. The first member that answers is used: the one whose configuration
 * is given, or one of those that {@code --join} names.
 */
final class NetworkQuery {
  static final Option WATCH = Option.flag("watch", "refresh each second, until interrupted");
  private static final long ROUND = 1_000;

  private final Shell shell;
  private final SSLContext tls;
  private final List<HostPort> members;
  private final boolean watching;

  private NetworkQuery(Shell shell, SSLContext tls, List<HostPort> members, boolean watching) {
    this.shell = shell;
    this.tls = tls;
    this.members = members;
    this.watching = watching;
  }

  /** The options of commands that query a network. */
  static List<Option> options() {
    List<Option> options = new ArrayList<>();
    options.add(NetworkOptions.JOIN);
    options.addAll(NetworkOptions.PROOF);
    options.add(NetworkOptions.CONFIG);
    options.add(WATCH);
    return options;
  }

  static NetworkQuery of(Shell shell, Arguments words) {
    words.requireAtMost(0);
    List<Option> known = new ArrayList<>(NodeOptions.ALL);
    known.addAll(ServeCommand.configurable());
    Arguments given = NetworkOptions.configured(shell, words, known, ConfigurationUse.QUERY);
    List<HostPort> members = new ArrayList<>(NetworkOptions.join(given));
    if (!words.has(NetworkOptions.JOIN)) {
      own(given, members);
    }
    if (members.isEmpty()) {
      throw new UsageException(
          "no member to ask: pass --join HOST:PORT of any member, or --config F.toml of a node");
    }
    return new NetworkQuery(shell, NetworkOptions.tls(shell, given), members, words.has(WATCH));
  }

  /** Adds the member of the configuration as the first. */
  private static void own(Arguments given, List<HostPort> members) {
    for (Option option : new Option[] {NetworkOptions.ADVERTISE, NetworkOptions.LISTEN}) {
      String text = given.get(option);
      if (text != null) {
        HostPort address = NetworkOptions.address(given, option, text);
        if (address.port() != 0) {
          members.addFirst(address);
          return;
        }
      }
    }
  }

  /** Prints the states as {@code text} formats them; repeatedly with {@code --watch}. */
  int print(Function<List<NodeState>, String> text) throws InterruptedException {
    if (!watching) {
      shell.out().print(text.apply(ask()));
      return ExitCode.OK;
    }
    boolean screen =
        shell.terminal().isTerminal(Shell.Terminal.OUT) && !"dumb".equals(shell.variable("TERM"));
    for (List<NodeState> states = ask(); ; states = askUntilAnswered()) {
      shell.out().print((screen ? "\033[H\033[2J" : "") + text.apply(states));
      if (shell.out().checkError()) {
        return ExitCode.OK; // the reader of our output has left
      }
      Thread.sleep(ROUND);
    }
  }

  /** Asks until a member answers: a node that is watched may be restarting. */
  private List<NodeState> askUntilAnswered() throws InterruptedException {
    String message = "";
    while (true) {
      try {
        return ask();
      } catch (CommandException e) {
        if (!message.equals(e.getMessage())) {
          message = e.getMessage();
          shell.err().println(message);
        }
        Thread.sleep(ROUND);
      }
    }
  }

  private List<NodeState> ask() {
    List<String> refusals = new ArrayList<>();
    for (HostPort member : members) {
      try {
        return NodeStateQuery.query(tls, member);
      } catch (ClusterException e) {
        refusals.add(SanitizedText.line(e.getMessage(), 500));
      }
    }
    throw new CommandException(String.join("; ", refusals));
  }
}
