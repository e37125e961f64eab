package dev.millrace.store.postgres.internal.db;

import dev.millrace.core.store.StoreException;
import dev.millrace.core.store.health.StoreHealth.Trouble;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** What an error of the database means, for people. Never shows a password. */
final class DatabaseErrors {
  private DatabaseErrors() {}

  static StoreException of(Database database, SQLException e) {
    String state = e.getSQLState() == null ? "" : e.getSQLState();
    String advice = advice(state);
    String what =
        "the database " + database.settings() + " refuses: " + reason(database, e) + advice;
    return new StoreException(what, e, trouble(state));
  }

  /** The reason of the reason, where a pool only says that it has no connection. */
  private static String reason(Database database, SQLException e) {
    Throwable deepest = e;
    while (deepest.getCause() instanceof SQLException cause) {
      deepest = cause;
    }
    return redacted(database, String.valueOf(deepest.getMessage())).replace('\n', ' ');
  }

  private static String redacted(Database database, String text) {
    @Nullable String password = database.settings().password();
    return password == null || password.isEmpty() ? text : text.replace(password, "…");
  }

  private static String advice(String state) {
    return switch (state) {
      case "28P01", "28000" -> "; check the user and the password (PGUSER, PGPASSWORD)";
      case "3D000" -> "; create the database, or correct its name";
      case "42501" -> "; grant the user rights on the schema";
      case "53100" -> "; free some space on its disk";
      case "53300" -> "; raise max_connections, or lower connections=… in the address";
      default -> state.startsWith("08") ? "; check that it runs and can be reached" : "";
    };
  }

  /** All that is not one job's: a job that cannot be read is found while its rows are parsed. */
  private static Trouble trouble(String state) {
    return switch (state) {
      case "53100" -> Trouble.FULL;
      case "25006" -> Trouble.READ_ONLY;
      default -> Trouble.FAILING;
    };
  }
}
