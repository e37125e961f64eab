package dev.millrace.cli.options;

import dev.millrace.cli.args.Arguments;
import dev.millrace.cli.args.Option;
import dev.millrace.cli.args.UsageException;
import dev.millrace.cli.command.CommandException;
import dev.millrace.cli.command.ErrorCode;
import dev.millrace.cli.command.ExitCode;
import dev.millrace.cli.command.Shell;
import dev.millrace.cli.command.SuggestedCommand;
import dev.millrace.cli.config.ConfigurationFile;
import dev.millrace.cli.config.ConfigurationUse;
import dev.millrace.cli.config.LanguagePipesFile;
import dev.millrace.cli.terminal.SanitizedText;
import dev.millrace.cluster.ClusterException;
import dev.millrace.cluster.HostPort;
import dev.millrace.cluster.NetworkKey;
import dev.millrace.cluster.NetworkSettings;
import dev.millrace.tls.PemSslContext;
import dev.millrace.tls.TlsFileException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/** The options of commands that join a network of nodes, or query one. */
public final class NetworkOptions {
  public static final Option LISTEN =
      Option.value("listen", "HOST:PORT", "accept links there; membership uses the next port");
  public static final Option ADVERTISE =
      Option.value("advertise", "HOST:PORT", "the address for other nodes (default: as --listen)");
  public static final Option JOIN =
      Option.value("join", "HOST:PORT", "a member of the network (repeatable)").many();
  public static final Option KEY =
      Option.value("key-file", "F", "the network's key, created by \"millrace keygen F\"");
  public static final Option CERT =
      Option.value(
          "cert",
          "F.pem",
          "instead of a key: this node's certificate chain, which\n"
              + "must contain its name (CN or DNS name)");
  public static final Option CERT_KEY =
      Option.value("cert-key", "F.pem", "its private key (PKCS#8)");
  public static final Option CA =
      Option.value("ca", "F.pem", "the CA that signs the certificates of all nodes");
  public static final Option ALLOW =
      Option.value("allow", "NAME", "a node that may be a member (repeatable; default: all)")
          .many();
  public static final Option CONFIG =
      Option.value(
          "config",
          "F.toml",
          "values for options that are not given: a key is an\noption's name " + "(docs/pipes.md)");

  /** Options for the identity and the trust of a member. */
  public static final List<Option> PROOF = List.of(KEY, CERT, CERT_KEY, CA);

  private NetworkOptions() {}

  /** The given options, and the configuration's values for the others. */
  public static Arguments configured(
      Shell shell, Arguments given, List<Option> known, ConfigurationUse reader) {
    String path = given.get(CONFIG);
    if (path == null) {
      return given;
    }
    ConfigurationFile file = ConfigurationFile.parse(shell.path(path));
    return given.withDefaults(
        file.isLanguagePipes()
            ? LanguagePipesFile.options(shell, file, given, known, reader)
            : file.options(known));
  }

  /** The network settings of the member {@code name}. */
  public static NetworkSettings settings(
      Shell shell, Arguments given, Option named, String name, HostPort usual) {
    String at = given.get(LISTEN);
    HostPort listen = at == null ? usual : address(given, LISTEN, at);
    String advertised = given.get(ADVERTISE);
    HostPort advertise = advertised == null ? null : address(given, ADVERTISE, advertised);
    List<HostPort> join = join(given);
    require(given, listen, advertise, join);
    Set<String> allowed = new HashSet<>();
    for (String each : given.all(ALLOW)) {
      allowed.add(name(given.shown(ALLOW), each));
    }
    return new NetworkSettings(
        name(given.shown(named), name),
        new NetworkSettings.Addresses(listen, advertise, join, 0),
        new NetworkSettings.Trust(tls(shell, given), given.has(CERT), allowed),
        NetworkSettings.DEFAULT_LINK_TIMEOUT,
        NetworkOptions::end);
  }

  /** Ends the process: the other members consider it dead. Its work resumes as after a crash. */
  private static void end(String why) {
    System.getLogger("dev.millrace.cli").log(System.Logger.Level.ERROR, why);
    Runtime.getRuntime().halt(ExitCode.FAILED);
  }

  private static void require(
      Arguments given, HostPort listen, @Nullable HostPort advertise, List<HostPort> join) {
    if (advertise != null) {
      if (advertise.port() == 0) {
        throw new UsageException(given.shown(ADVERTISE) + " " + advertise + ": port 0 is no port");
      }
      return;
    }
    if (Set.of("0.0.0.0", "::").contains(listen.host())) {
      throw new UsageException(
          given.shown(LISTEN)
              + " "
              + listen
              + " is every address of this machine: --advertise HOST:PORT says which of them"
              + " other nodes are to use");
    }
    for (HostPort other : join) {
      if (isLoopback(listen) && !isLoopback(other)) {
        throw new UsageException(
            given.shown(JOIN)
                + ": a node at "
                + other
                + " cannot reach "
                + listen
                + ", which is seen on this machine alone: pass --listen with an address of this"
                + " machine that the other can reach");
      }
    }
  }

  private static boolean isLoopback(HostPort address) {
    String host = address.host();
    return host.equals("localhost") || host.startsWith("127.") || host.equals("::1");
  }

  private static String name(String shown, String name) {
    try {
      NetworkSettings.checkName(name);
      return name;
    } catch (ClusterException e) {
      throw new UsageException(shown + ": " + e.getMessage());
    }
  }

  /** The addresses of members to join. */
  public static List<HostPort> join(Arguments given) {
    List<HostPort> join = new ArrayList<>();
    for (String each : given.all(JOIN)) {
      HostPort address = address(given, JOIN, each);
      if (address.port() == 0) {
        throw new UsageException(given.shown(JOIN) + " " + address + ": port 0 is no port");
      }
      join.add(address);
    }
    return join;
  }

  public static HostPort address(Arguments given, Option option, String text) {
    try {
      return HostPort.parse(text);
    } catch (ClusterException e) {
      throw new UsageException(
          given.shown(option) + ": " + SanitizedText.line(e.getMessage(), 300));
    }
  }

  /** TLS by the network's key or by certificates; there is no unencrypted mode. */
  public static SSLContext tls(Shell shell, Arguments given) {
    String key = given.get(KEY);
    String hex = given.get(LanguagePipesFile.NETWORK_KEY);
    if (key == null && hex != null) {
      return NetworkKey.ofHex(hex).tls(); // its file was checked when it was read
    }
    if (!given.has(CERT) && !given.has(CERT_KEY) && !given.has(CA)) {
      if (key == null) {
        throw new UsageException(
            "links between nodes are encrypted: pass --key-file net.key"
                + (Files.exists(shell.path("net.key"))
                    ? ""
                    : " (" + SuggestedCommand.of("keygen", "net.key").to("creates it") + ")")
                + ", or --cert, --cert-key and --ca");
      }
      return keyed(readable(shell, given, KEY));
    }
    if (key != null) {
      throw new UsageException(
          given.shown(KEY)
              + " and certificates are mutually exclusive: all nodes have the one or"
              + " all have the other");
    }
    for (Option option : new Option[] {CERT, CERT_KEY, CA}) {
      if (!given.has(option)) {
        throw new UsageException(
            "--cert, --cert-key and --ca go together: " + option.shown() + " is missing");
      }
    }
    return certified(
        readable(shell, given, CERT), readable(shell, given, CERT_KEY), readable(shell, given, CA));
  }

  private static SSLContext keyed(Path file) {
    try {
      return NetworkKey.read(file).tls();
    } catch (ClusterException e) {
      throw new CommandException(SanitizedText.line(e.getMessage(), 500));
    }
  }

  private static SSLContext certified(Path certificate, Path key, Path ca) {
    try {
      return PemSslContext.of(certificate, key, ca);
    } catch (TlsFileException e) {
      throw new CommandException(SanitizedText.line(e.getMessage(), 500));
    }
  }

  private static Path readable(Shell shell, Arguments given, Option option) {
    Path file = shell.path(String.valueOf(given.get(option)));
    if (!Files.isReadable(file) || Files.isDirectory(file)) {
      String problem =
          given.shown(option)
              + ": there is no file "
              + SanitizedText.line(file.toString(), 500)
              + " that can be read";
      throw option == KEY && !Files.exists(file)
          ? CommandException.suggesting(
              ErrorCode.NOT_FOUND,
              problem,
              SuggestedCommand.of("keygen", given.get(option)),
              "creates a key there")
          : new CommandException(ErrorCode.NOT_FOUND, problem);
    }
    return file;
  }
}
