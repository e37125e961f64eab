package dev.millrace.store.postgres.settings;

import java.io.IOException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGProperty;

/** The address of a database as a user writes it, with what the environment adds. */
final class PostgresUrl {
  private static final String DEFAULT_PORT = "5432";
  private static final String FORM =
      "; write postgresql://user@host:5432/database?schema=millrace, and the password into the"
          + " variable PGPASSWORD or a file (password_file=…)";

  private static final List<String> SSL_MODES =
      List.of(Objects.requireNonNull(PGProperty.SSL_MODE.getChoices()));

  private static final Map<String, String> TLS_VARIABLES =
      Map.of("PGSSLMODE", "sslmode", "PGSSLROOTCERT", "sslrootcert");

  private final Map<String, String> environment;
  private final Map<String, String> parameters = new HashMap<>();
  private final String hosts;
  private final @Nullable String direct;
  private final String database;
  private final @Nullable String user;
  private final @Nullable String password;

  PostgresUrl(String url, Map<String, String> environment) {
    this.environment = environment;
    if (!PostgresSettings.isUrl(url)) {
      throw new IllegalArgumentException("the address of a database starts with postgresql://");
    }
    String rest = url.substring(url.indexOf("://") + 3);
    int query = rest.indexOf('?');
    if (query >= 0) {
      readParameters(rest.substring(query + 1));
      rest = rest.substring(0, query);
    }
    int slash = rest.indexOf('/');
    String authority = slash < 0 ? rest : rest.substring(0, slash);
    int at = authority.lastIndexOf('@');
    String[] credentials = (at < 0 ? "" : authority.substring(0, at)).split(":", 2);
    this.user = firstOf(decoded(credentials[0]), "user", "PGUSER");
    this.password = password(credentials.length < 2 ? null : decoded(credentials[1]));
    this.hosts = hosts(firstOf(authority.substring(at + 1), "host", "PGHOST"));
    this.direct = direct(parameters.remove("direct"));
    this.database = database(slash < 0 ? "" : rest.substring(slash + 1));
  }

  private String database(String written) {
    if (written.contains("@")) { // no text may show it
      throw new IllegalArgumentException(
          "the address has a password with a \"/\"; write \"%2F\" for it" + FORM);
    }
    String name = firstOf(decoded(written), "dbname", "PGDATABASE");
    if (name == null || name.isEmpty() || name.contains("/")) {
      throw new IllegalArgumentException("the address names no database" + FORM);
    }
    return name;
  }

  private void readParameters(String query) {
    for (String pair : query.split("&", -1)) {
      int equals = pair.indexOf('=');
      if (equals < 1) {
        throw new IllegalArgumentException(
            "the address has a parameter without \"=\" after its \"?\"" + FORM);
      }
      parameters.put(decoded(pair.substring(0, equals)), decoded(pair.substring(equals + 1)));
    }
  }

  private static String decoded(String text) {
    try {
      return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
    } catch (IllegalArgumentException e) {
      // not as the cause: its message may contain the password
      throw new IllegalArgumentException(
          "the address has a \"%\" that two hexadecimal digits do not follow; write \"%25\"");
    }
  }

  private @Nullable String firstOf(String written, String parameter, String variable) {
    String named = parameters.remove(parameter);
    if (!written.isEmpty()) {
      return written;
    }
    return named != null ? named : variable(variable);
  }

  /** As with PostgreSQL's tools, an empty one is none. */
  private @Nullable String variable(String name) {
    String value = environment.get(name);
    return value == null || value.isEmpty() ? null : value;
  }

  private @Nullable String password(@Nullable String written) {
    String named = parameters.remove("password");
    String file = parameters.remove("password_file");
    if (written != null && !written.isEmpty()) {
      return written;
    }
    if (file != null) {
      try {
        return Files.readString(Path.of(file)).strip();
      } catch (IOException | RuntimeException e) {
        throw new IllegalArgumentException("cannot read the password file " + file + ": " + e);
      }
    }
    return named != null ? named : variable("PGPASSWORD");
  }

  private String hosts(@Nullable String written) {
    String port = firstOf("", "port", "PGPORT");
    return withPorts(written == null ? "localhost" : written, port == null ? DEFAULT_PORT : port)
        .orElseThrow(
            () -> new IllegalArgumentException("the address has no valid host and port" + FORM));
  }

  /** The variables say nothing about it: they are about the same pooler as the address. */
  private static @Nullable String direct(@Nullable String written) {
    return written == null
        ? null
        : withPorts(written, DEFAULT_PORT)
            .orElseThrow(
                () ->
                    new IllegalArgumentException(
                        "direct=" + written + " is no host and port of the database"));
  }

  /** Empty if one of the hosts is none. */
  private static Optional<String> withPorts(String hosts, String port) {
    StringJoiner all = new StringJoiner(",");
    for (String host : hosts.split(",", -1)) {
      boolean hasPort = host.lastIndexOf(':') > host.lastIndexOf(']');
      String one = hasPort ? host : host + ":" + port;
      if (!one.matches("(\\[[0-9a-fA-F:.]+]|[A-Za-z0-9._-]+):[0-9]{1,5}")) {
        return Optional.empty();
      }
      all.add(one);
    }
    return Optional.of(all.toString());
  }

  PostgresSettings settings() {
    String schema = parameters.remove("schema");
    String connections = parameters.remove("connections");
    String lease = parameters.remove("lease");
    TLS_VARIABLES.forEach(
        (variable, name) -> {
          String value = variable(variable);
          if (value != null) {
            parameters.putIfAbsent(name, value);
          }
        });
    parameters.forEach(PostgresUrl::requireKnown);
    return new PostgresSettings(
        hosts,
        direct,
        database,
        user,
        password,
        parameters,
        schema == null ? PostgresSettings.DEFAULT_SCHEMA : schema,
        connections == null
            ? PostgresSettings.DEFAULT_CONNECTIONS
            : number("connections", connections),
        lease == null
            ? PostgresSettings.DEFAULT_LEASE
            : Duration.ofSeconds(number("lease", lease)));
  }

  private static void requireKnown(String name, String value) {
    PGProperty property = PGProperty.forName(name);
    if (property == null) {
      throw new IllegalArgumentException(
          "the address has a parameter \""
              + name
              + "\" that neither the store nor the driver knows; the store's are schema,"
              + " connections, direct, lease and password_file");
    }
    if (property == PGProperty.SSL_MODE && !SSL_MODES.contains(value)) {
      throw new IllegalArgumentException(
          name + "=" + value + " is none of " + String.join(", ", SSL_MODES));
    }
  }

  private static int number(String name, String text) {
    try {
      return Integer.parseInt(text);
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(name + "=" + text + " is not a number");
    }
  }

  /** Whether the value of that parameter is never shown. */
  static boolean isSecret(String name) {
    return name.toLowerCase(Locale.ROOT).contains("password");
  }
}
