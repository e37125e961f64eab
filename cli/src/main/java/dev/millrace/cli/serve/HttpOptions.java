package dev.millrace.cli.serve;

import dev.millrace.cli.args.Arguments;
import dev.millrace.cli.args.Option;
import dev.millrace.cli.args.UsageException;
import java.util.List;

/** The options of a server's HTTP service. */
public final class HttpOptions {
  public static final int USUAL_PORT = 8080;

  static final Option PORT =
      Option.wholeNumber(
          "port",
          "N",
          "serve the HTTP API there (default 8080, or any free port\n"
              + "if that is taken; 0: any free port)");
  static final Option NONE = Option.flag("no-http", "serve no HTTP (the default with --drain)");
  static final Option BIND =
      Option.value(
          "bind",
          "ADDRESS",
          "listen there (default 127.0.0.1); an address other than\n"
              + "loopback needs --api-key-file");
  static final Option KEYS =
      Option.value(
          "api-key-file",
          "F",
          "keys of the clients, created by \"millrace apikey\"; read\n" + "again when it changes");
  static final Option TLS_CERT =
      Option.value("tls-cert", "F.pem", "serve HTTPS with this certificate chain");
  static final Option TLS_KEY = Option.value("tls-key", "F.pem", "its private key (PKCS#8)");
  static final Option RATE =
      Option.wholeNumber(
          "rate",
          "N",
          "requests per second and client (default\n"
              + "1000 for each key, no limit without keys)");
  static final Option MAX_STREAMS =
      Option.wholeNumber("max-streams", "N", "open event streams of all clients (default 8000)");
  static final Option KEY_STREAMS =
      Option.wholeNumber(
          "max-streams-per-key",
          "N",
          "open event streams of one key (default 2000, or a quarter\n" + "of --max-streams)");
  static final Option MAX_DEQUEUES =
      Option.wholeNumber(
          "max-dequeues", "N", "dequeues of all workers that wait for a task (default\n10000)");
  static final Option KEY_DEQUEUES =
      Option.wholeNumber(
          "max-dequeues-per-key",
          "N",
          "waiting dequeues of one key (default 5000, or half of\n" + "--max-dequeues)");
  static final Option WEBHOOK_ALLOW =
      Option.value(
              "webhook-allow",
              "PATTERN",
              "allow webhooks to this host, *.suffix, CIDR or\n"
                  + "host:port (repeatable; default: none)")
          .many();
  static final Option WEBHOOK_SECRET =
      Option.value("webhook-secret-file", "F", "the secret that signs webhooks");
  static final Option STAGE_BACKOFF =
      Option.value(
          "stage-backoff",
          "TIME",
          "first wait before a retry in stages that a client adds\n"
              + "without naming a backoff (default 0: at once, as Jobnik)");
  static final Option RESPONSE_DAYS =
      Option.wholeNumber(
          "response-days",
          "N",
          "delete stored responses of OpenAI's API so many days after\n"
              + "they were made (default 30; 0: store none)");
  static final Option OTLP =
      Option.value("otlp", "URL", "export traces there, such as http://127.0.0.1:4318");
  static final Option ACCESS_LOG =
      Option.value("access-log", "F", "append a JSON line for each request (-: to stdout)");

  static final List<Option> ALL =
      List.of(
          PORT,
          NONE,
          BIND,
          KEYS,
          TLS_CERT,
          TLS_KEY,
          RATE,
          MAX_STREAMS,
          KEY_STREAMS,
          MAX_DEQUEUES,
          KEY_DEQUEUES,
          WEBHOOK_ALLOW,
          WEBHOOK_SECRET,
          STAGE_BACKOFF,
          RESPONSE_DAYS,
          OTLP,
          ACCESS_LOG);

  private HttpOptions() {}

  /** Whether HTTP is to be served. */
  static boolean isHttpRequested(Arguments given) {
    if (given.has(NONE)) {
      for (Option option : ALL) {
        if (option != NONE) {
          given.exclude(NONE, option);
        }
      }
      return false;
    }
    if (given.has(TLS_CERT) != given.has(TLS_KEY)) {
      throw new UsageException("--tls-cert and --tls-key go together");
    }
    if (given.has(WEBHOOK_ALLOW) != given.has(WEBHOOK_SECRET)) {
      throw new UsageException(
          "--webhook-allow and --webhook-secret-file go together: webhooks are always signed");
    }
    boolean asked = ALL.stream().anyMatch(given::has);
    return asked || !given.has(ServeCommand.DRAIN);
  }
}
