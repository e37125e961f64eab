package dev.millrace.cli.serve;

import dev.millrace.cli.args.Arguments;
import dev.millrace.cli.args.Option;
import dev.millrace.cli.args.UsageException;
import dev.millrace.cli.command.CommandException;
import dev.millrace.cli.command.ErrorCode;
import dev.millrace.cli.command.ErrorText;
import dev.millrace.cli.command.Shell;
import dev.millrace.cli.command.SuggestedCommand;
import dev.millrace.cli.config.LanguagePipesFile;
import dev.millrace.core.job.DurationParser;
import dev.millrace.core.task.Backoff;
import dev.millrace.http.HttpSettings;
import dev.millrace.http.auth.ApiKeyFile;
import dev.millrace.http.auth.ApiKeys;
import dev.millrace.http.auth.KeyScope;
import dev.millrace.http.limits.HttpLimits;
import dev.millrace.http.transport.TlsFiles;
import dev.millrace.http.webhook.WebhookAllowList;
import dev.millrace.http.webhook.WebhookSettings;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a server's HTTP API.
 *
 * @param settings address, keys and limits, without the access log
 * @param anyFreePort whether another port may be used if this one is taken
 * @param hooks null: no job may name a webhook
 * @param accessLog a file, or "-" for standard output; null: no access log
 */
record ServeHttpSettings(
    HttpSettings settings,
    boolean anyFreePort,
    @Nullable WebhookSettings hooks,
    @Nullable String accessLog) {

  private static final System.Logger LOG = System.getLogger("dev.millrace.cli");
  private static final int USUAL_RATE = 1_000;
  private static final int MAX_CONCURRENT = 1_000_000;
  private static final int SHORTEST_SECRET = 16;

  /** The settings by the options; null: no HTTP. */
  static @Nullable ServeHttpSettings of(Shell shell, Arguments given) {
    if (!HttpOptions.isHttpRequested(given)) {
      return null;
    }
    String bind = given.get(HttpOptions.BIND);
    ApiKeys keys = keys(shell, given);
    int port = given.integer(HttpOptions.PORT, 0, 65_535, HttpOptions.USUAL_PORT);
    int rate = given.integer(HttpOptions.RATE, 1, 1_000_000, keys == null ? 0 : USUAL_RATE);
    try {
      requireKeys(shell, bind, keys);
      HttpSettings settings =
          new HttpSettings(
              bind == null ? "127.0.0.1" : bind,
              port,
              tls(shell, given),
              keys,
              HttpLimits.DEFAULT
                  .withRate(rate, Math.max(1, rate))
                  .withConcurrency(concurrency(given)),
              null,
              otlp(given),
              stageBackoff(given),
              responseAge(given));
      if (settings.tls() == null && isExposed(settings.host())) {
        LOG.log(
            Level.WARNING,
            HttpOptions.BIND.shown()
                + " "
                + bind
                + " without TLS: keys and texts can be read on their way; pass --tls-cert and"
                + " --tls-key, unless a proxy or a private network protects them");
      }
      return new ServeHttpSettings(
          settings,
          !given.has(HttpOptions.PORT),
          hooks(shell, given),
          accessLog(shell, given.get(HttpOptions.ACCESS_LOG)));
    } catch (IllegalArgumentException e) {
      throw new UsageException(e.getMessage());
    }
  }

  private static HttpLimits.Concurrency concurrency(Arguments given) {
    HttpLimits.Concurrency usual = HttpLimits.Concurrency.DEFAULT;
    return HttpLimits.Concurrency.of(
        cap(given, HttpOptions.MAX_STREAMS, HttpOptions.KEY_STREAMS, usual.streams()),
        cap(given, HttpOptions.MAX_DEQUEUES, HttpOptions.KEY_DEQUEUES, usual.longPolls()));
  }

  /** One key gets the same share of another number, so that it never has all of it by default. */
  private static HttpLimits.Cap cap(
      Arguments given, Option all, Option perKey, HttpLimits.Cap usual) {
    int most = given.integer(all, 1, MAX_CONCURRENT, usual.all());
    int share = Math.max(1, most / (usual.all() / usual.perKey()));
    int ofKey = given.integer(perKey, 1, MAX_CONCURRENT, share);
    if (ofKey > most) {
      throw new UsageException(
          given.shown(perKey)
              + " "
              + ofKey
              + " is more than all clients may have ("
              + most
              + "); raise "
              + all.shown()
              + " too");
    }
    return new HttpLimits.Cap(ofKey, most);
  }

  private static void requireKeys(Shell shell, @Nullable String bind, @Nullable ApiKeys keys) {
    if (bind != null && keys == null && isExposed(bind)) {
      throw new UsageException(
          HttpOptions.BIND.shown()
              + " "
              + bind
              + ": other machines can reach it, and there are no API keys; pass --api-key-file keys"
              + (Files.exists(shell.path("keys"))
                  ? ""
                  : " (" + newKey("keys").to("creates it") + ")")
              + ", or listen on 127.0.0.1");
    }
  }

  private static boolean isExposed(String bind) {
    try {
      return HttpSettings.isExposed(bind);
    } catch (IllegalArgumentException e) {
      throw new UsageException(HttpOptions.BIND.shown() + ": " + e.getMessage());
    }
  }

  /** Checks the keys now: a server may wait for hours before it listens. */
  private static @Nullable ApiKeys keys(Shell shell, Arguments given) {
    String named = given.get(HttpOptions.KEYS);
    if (named == null) {
      List<String> hashes = given.all(LanguagePipesFile.API_KEY_HASHES);
      return hashes.isEmpty() ? null : ApiKeys.of(languagePipesKeys(hashes));
    }
    Path file = shell.path(named);
    try {
      if (ApiKeyFile.read(file).isEmpty()) {
        throw CommandException.suggesting(
            ErrorCode.NOT_FOUND, "no key in " + file, newKey(named), "creates one");
      }
      return open(file);
    } catch (NoSuchFileException e) {
      throw CommandException.suggesting(
          ErrorCode.NOT_FOUND, "no such file of keys: " + file, newKey(named), "creates one");
    } catch (IOException | IllegalArgumentException e) {
      throw new CommandException("cannot read the keys in " + file + ": " + ErrorText.of(e));
    }
  }

  private static ApiKeys open(Path file) {
    try {
      return ApiKeys.open(file);
    } catch (IllegalArgumentException e) {
      throw new CommandException(e.getMessage());
    }
  }

  private static SuggestedCommand newKey(String file) {
    return SuggestedCommand.of("apikey", "client", "--file", file);
  }

  /** A key may submit jobs and read them, as it may there; its name stays when others come or go. */
  private static List<ApiKeyFile.Line> languagePipesKeys(List<String> hashes) {
    List<ApiKeyFile.Line> lines = new ArrayList<>();
    for (String hash : hashes) {
      lines.add(
          new ApiKeyFile.Line(
              "api-key-" + hash.substring(0, 8), Set.of(KeyScope.READ, KeyScope.SUBMIT), hash));
    }
    return lines;
  }

  private static @Nullable TlsFiles tls(Shell shell, Arguments given) {
    String chain = given.get(HttpOptions.TLS_CERT);
    String key = given.get(HttpOptions.TLS_KEY);
    return chain == null || key == null
        ? null
        : new TlsFiles(
            readable(shell, given.shown(HttpOptions.TLS_CERT), chain),
            readable(shell, given.shown(HttpOptions.TLS_KEY), key));
  }

  private static Path readable(Shell shell, String shown, String named) {
    Path file = shell.path(named);
    if (!Files.isReadable(file) || Files.isDirectory(file)) {
      throw new CommandException(shown + ": there is no file " + file + " that can be read");
    }
    return file;
  }

  private static Backoff stageBackoff(Arguments given) {
    String text = given.get(HttpOptions.STAGE_BACKOFF);
    try {
      return text == null || text.equals("0")
          ? Backoff.NONE
          : Backoff.startingAt(DurationParser.parse(text));
    } catch (IllegalArgumentException e) {
      throw new UsageException(given.shown(HttpOptions.STAGE_BACKOFF) + ": " + e.getMessage());
    }
  }

  private static Duration responseAge(Arguments given) {
    int days = (int) HttpSettings.DEFAULT_RESPONSE_AGE.toDays();
    return Duration.ofDays(given.integer(HttpOptions.RESPONSE_DAYS, 0, 36_500, days));
  }

  private static @Nullable URI otlp(Arguments given) {
    String text = given.get(HttpOptions.OTLP);
    if (text == null) {
      return null;
    }
    try {
      URI uri = new URI(text);
      String scheme = String.valueOf(uri.getScheme());
      if (uri.getHost() != null && (scheme.equals("http") || scheme.equals("https"))) {
        return uri;
      }
    } catch (URISyntaxException e) {
      // reported below
    }
    throw new UsageException(
        given.shown(HttpOptions.OTLP) + " must be http://… or https://…, not \"" + text + "\"");
  }

  private static @Nullable WebhookSettings hooks(Shell shell, Arguments given) {
    List<String> allowed = given.all(HttpOptions.WEBHOOK_ALLOW);
    String file = given.get(HttpOptions.WEBHOOK_SECRET);
    if (file == null) {
      return null;
    }
    try {
      return WebhookSettings.of(WebhookAllowList.of(allowed), secret(shell.path(file)));
    } catch (IllegalArgumentException e) {
      throw new UsageException(given.shown(HttpOptions.WEBHOOK_ALLOW) + ": " + e.getMessage());
    }
  }

  private static String secret(Path file) {
    try {
      String secret = Files.readString(file, StandardCharsets.UTF_8).strip();
      if (secret.length() < SHORTEST_SECRET) {
        throw new CommandException(
            file + " must hold a secret of at least " + SHORTEST_SECRET + " characters");
      }
      return secret;
    } catch (IOException e) {
      throw new CommandException(
          HttpOptions.WEBHOOK_SECRET.shown()
              + ": cannot read the secret of webhooks: "
              + ErrorText.of(e));
    }
  }

  /** Checks the directory now: the file is opened after the models are loaded. */
  private static @Nullable String accessLog(Shell shell, @Nullable String named) {
    if (named == null || named.equals("-")) {
      return named;
    }
    Path file = shell.path(named);
    Path directory = file.toAbsolutePath().getParent();
    boolean writable = Files.exists(file) ? Files.isWritable(file) : Files.isWritable(directory);
    if (Files.isDirectory(file) || !Files.isDirectory(directory) || !writable) {
      throw new CommandException(
          HttpOptions.ACCESS_LOG.shown()
              + ": cannot write "
              + file
              + "; name a file in a directory that exists and that you may write to");
    }
    return file.toString();
  }
}
