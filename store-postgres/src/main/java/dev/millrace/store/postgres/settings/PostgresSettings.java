package dev.millrace.store.postgres.settings;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * How to reach a database, and which schema of it to use. Its text never shows the password.
 *
 * @param hosts {@code host:port}, several separated by commas: the first that answers is used
 * @param direct the same for the database itself where {@code hosts} are poolers: for migrations
 *     and notifications, which need sessions; null: there too
 * @param user null: the name of the operating system's user
 * @param password null: none, or one of the password file of PostgreSQL's tools
 * @param properties of the driver, such as {@code sslmode}
 * @param schema where the tables are
 * @param connections the most connections that one server opens for its queries
 * @param lease how long other servers leave the tasks of a silent one alone; the longer, the longer
 *     a server may be without the database
 */
public record PostgresSettings(
    String hosts,
    @Nullable String direct,
    String database,
    @Nullable String user,
    @Nullable String password,
    Map<String, String> properties,
    String schema,
    int connections,
    Duration lease) {

  public static final String DEFAULT_SCHEMA = "millrace";
  public static final int DEFAULT_CONNECTIONS = 10;
  public static final Duration DEFAULT_LEASE = Duration.ofSeconds(20);

  private static final Duration SHORTEST_LEASE = Duration.ofSeconds(2);
  private static final Duration LONGEST_LEASE = Duration.ofHours(1);

  public PostgresSettings {
    properties = Map.copyOf(properties);
    if (!schema.matches("[a-z_][a-z0-9_]{0,62}")) {
      throw new IllegalArgumentException(
          "the schema \""
              + schema
              + "\" must have 1 to 63 lower-case letters, digits or '_', and start with no digit");
    }
    if (connections < 2 || connections > 1_000) {
      throw new IllegalArgumentException(
          "the number of connections must be 2 to 1000, got " + connections);
    }
    if (lease.compareTo(SHORTEST_LEASE) < 0 || lease.compareTo(LONGEST_LEASE) > 0) {
      throw new IllegalArgumentException(
          "the lease must be 2 to 3600 seconds, got " + lease.toSeconds());
    }
  }

  /** Whether a place is the address of a database. */
  public static boolean isUrl(String place) {
    return place.startsWith("postgresql://") || place.startsWith("postgres://");
  }

  /**
   * Reads an address as PostgreSQL's tools do: {@code
   * postgresql://user:password@host:port/database?schema=millrace&sslmode=verify-full}. What it
   * lacks is taken from the variables {@code PGHOST}, {@code PGPORT}, {@code PGDATABASE}, {@code
   * PGUSER}, {@code PGPASSWORD}, {@code PGSSLMODE} and {@code PGSSLROOTCERT}; a password, at last,
   * from the file that {@code PGPASSFILE} of this process names, or {@code ~/.pgpass}.
   *
   * @throws IllegalArgumentException with the part that is wrong, but never the password
   */
  public static PostgresSettings parse(String url, Map<String, String> environment) {
    return new PostgresUrl(url, environment).settings();
  }

  /** As {@link #parse(String, Map)}, with the variables of this process. */
  public static PostgresSettings parse(String url) {
    return parse(url, System.getenv());
  }

  /** The same in another schema. */
  public PostgresSettings withSchema(String name) {
    return new PostgresSettings(
        hosts, direct, database, user, password, properties, name, connections, lease);
  }

  /** The hosts of the address, without their ports. */
  public List<String> hostNames() {
    return Arrays.stream(hosts.split(","))
        .map(host -> host.replaceFirst(":[0-9]*$", "").replaceAll("^\\[|]$", ""))
        .toList();
  }

  /** The address for the driver, without user and password. */
  public String jdbcUrl() {
    return "jdbc:postgresql://" + hosts + "/" + database;
  }

  /** The same for what needs a session: no pooler may be in between. */
  public String directJdbcUrl() {
    return "jdbc:postgresql://" + (direct == null ? hosts : direct) + "/" + database;
  }

  /** The address without the password, for logs and errors. */
  @Override
  public String toString() {
    StringBuilder text = new StringBuilder("postgresql://");
    if (user != null) {
      text.append(user).append('@');
    }
    text.append(hosts).append('/').append(database).append("?schema=").append(schema);
    if (direct != null) {
      text.append("&direct=").append(direct);
    }
    if (!lease.equals(DEFAULT_LEASE)) {
      text.append("&lease=").append(lease.toSeconds());
    }
    new TreeMap<>(properties)
        .forEach(
            (name, value) -> {
              if (!PostgresUrl.isSecret(name)) {
                text.append('&').append(name).append('=').append(value);
              }
            });
    return text.toString();
  }
}
