package dev.millrace.store.postgres.settings;

import java.io.IOException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGProperty;

/** The address of a database as a user writes it, with what the environment adds. */
final class PostgresUrl {
  private static final String FORM =
      "; write postgresql://user@host:5432/database?schema=millrace, and the password into the"
          + " variable PGPASSWORD or a file (password_file=…)";

  private final Map<String, String> environment;
  private final Map<String, String> parameters = new HashMap<>();
  private final String hosts;
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
    this.hosts = withPorts(firstOf(authority.substring(at + 1), "host", "PGHOST"));
    String name =
        firstOf(slash < 0 ? "" : decoded(rest.substring(slash + 1)), "dbname", "PGDATABASE");
    if (name == null || name.isEmpty() || name.contains("/")) {
      throw new IllegalArgumentException("the address names no database" + FORM);
    }
    this.database = name;
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
    return named != null ? named : environment.get(variable);
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
    return named != null ? named : environment.get("PGPASSWORD");
  }

  private String withPorts(@Nullable String written) {
    String port = environment.getOrDefault("PGPORT", "5432");
    String named = parameters.remove("port");
    String otherwise = named == null ? port : named;
    StringBuilder all = new StringBuilder();
    for (String host : (written == null ? "localhost" : written).split(",", -1)) {
      boolean hasPort = host.lastIndexOf(':') > host.lastIndexOf(']');
      String one = hasPort ? host : host + ":" + otherwise;
      if (!one.matches("(\\[[0-9a-fA-F:.]+]|[A-Za-z0-9._-]+):[0-9]{1,5}")) {
        throw new IllegalArgumentException("the address has no valid host and port" + FORM);
      }
      all.append(all.isEmpty() ? "" : ",").append(one);
    }
    return all.toString();
  }

  PostgresSettings settings() {
    String schema = parameters.remove("schema");
    String connections = parameters.remove("connections");
    String lease = parameters.remove("lease");
    String tls = environment.get("PGSSLMODE");
    if (tls != null) {
      parameters.putIfAbsent("sslmode", tls);
    }
    for (String name : parameters.keySet()) {
      if (PGProperty.forName(name) == null) {
        throw new IllegalArgumentException(
            "the address has a parameter \""
                + name
                + "\" that neither the store nor the driver knows; the store's are schema,"
                + " connections, lease and password_file");
      }
    }
    return new PostgresSettings(
        hosts,
        database,
        user,
        password,
        parameters,
        schema == null ? PostgresSettings.DEFAULT_SCHEMA : schema,
        connections == null ? PostgresSettings.DEFAULT_CONNECTIONS : number("connections", connections),
        lease == null
            ? PostgresSettings.DEFAULT_LEASE
            : Duration.ofSeconds(number("lease", lease)));
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
