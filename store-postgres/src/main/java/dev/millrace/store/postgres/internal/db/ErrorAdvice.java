package dev.millrace.store.postgres.internal.db;

import dev.millrace.store.postgres.settings.PostgresSettings;
import java.io.FileNotFoundException;
import java.net.UnknownHostException;
import java.security.cert.CertPathBuilderException;
import java.security.cert.CertificateException;
import java.sql.SQLException;

/**
 * What to do about an error of the database. Codes decide where there is one for the case; else
 * what a text has in every language.
 */
final class ErrorAdvice {
  private final PostgresSettings settings;
  private final SQLException error;
  private final String state;
  private final String text;

  private ErrorAdvice(PostgresSettings settings, SQLException error) {
    this.settings = settings;
    this.error = error;
    this.state = error.getSQLState() == null ? "" : error.getSQLState();
    this.text = String.valueOf(error.getMessage());
  }

  /** The end of a sentence; empty if there is nothing to say. */
  static String of(PostgresSettings settings, SQLException error) {
    return new ErrorAdvice(settings, error).get();
  }

  private String get() {
    return switch (state) {
      case "26000", "42P05" -> notPrepared();
      case "28P01" -> password();
      case "28000" -> text.contains("pg_hba.conf") ? notAllowed() : password();
      case "08004" -> text.contains("SSL") ? withoutTls() : password();
      case "3D000" -> noDatabase();
      case "42501" -> "; grant the user rights on the schema";
      case "53100" -> "; free some space on its disk";
      case "53300" -> "; raise max_connections, or lower connections=… in the address";
      case "08P01" -> ofPooler();
      default -> state.startsWith("08") ? unreachable() : "";
    };
  }

  /** PgBouncer has one code for everything; the database uses it for a mix-up of statements. */
  private String ofPooler() {
    if (text.contains("prepared statement")) {
      return notPrepared();
    }
    if (text.contains("authentication failed")) {
      return password();
    }
    if (text.contains("does not exist") || text.contains("no such database")) {
      return noDatabase();
    }
    return text.contains("max_client_conn")
        ? "; raise max_client_conn of the pooler, or lower connections=… in the address"
        : unreachable();
  }

  private static String noDatabase() {
    return "; create the database, or correct its name";
  }

  private static String notPrepared() {
    return "; a pooler in transaction mode mixes up prepared statements: take prepareThreshold out"
        + " of the address, or write prepareThreshold=0";
  }

  private String password() {
    String user =
        settings.user() == null
            ? "the user, who is " + System.getProperty("user.name") + " as the address names none,"
            : "the user";
    return settings.password() == null
        ? "; check "
            + user
            + " and the password: write it into the variable PGPASSWORD, a file"
            + " (password_file=…), or the file of PostgreSQL's tools (PGPASSFILE, ~/.pgpass)"
        : "; check " + user + " and the password, in the address, its password_file or PGPASSWORD";
  }

  private String notAllowed() {
    boolean plain = "disable".equals(settings.properties().get("sslmode"));
    return plain || text.contains("no encryption")
        ? "; it may want TLS: write sslmode=verify-full and sslrootcert=FILE into the address"
        : "; correct the user or the database, or let them in from this machine in its pg_hba.conf";
  }

  private static String withoutTls() {
    return "; switch TLS on in the database, or do without: sslmode=prefer";
  }

  private String unreachable() {
    if (text.contains("HostnameVerifier")) {
      return "; its certificate is for another name: use one that is in it as the host";
    }
    for (Throwable cause = error.getCause(); cause != null; cause = cause.getCause()) {
      if (cause instanceof CertificateException || cause instanceof CertPathBuilderException) {
        return "; its certificate is not trusted: sslrootcert=FILE names the certificate of the"
            + " authority that has signed it";
      }
      if (cause instanceof FileNotFoundException) {
        return "; name the certificate of the database's authority as sslrootcert=FILE";
      }
      if (cause instanceof UnknownHostException) {
        return "; no host is called " + cause.getMessage();
      }
    }
    return "; check that it runs and can be reached";
  }
}
