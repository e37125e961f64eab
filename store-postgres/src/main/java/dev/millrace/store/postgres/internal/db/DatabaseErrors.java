package dev.millrace.store.postgres.internal.db;

import dev.millrace.core.store.StoreException;
import dev.millrace.core.store.health.StoreHealth.Trouble;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** What an error of the database means, for people. Never shows a password. */
final class DatabaseErrors {
  private DatabaseErrors() {}

  static StoreException of(Database database, SQLException e) {
    SQLException reason = reason(e);
    String text = redacted(database, String.valueOf(reason.getMessage())).replace('\n', ' ');
    String what =
        "the database "
            + database.settings()
            + " refuses: "
            + (text.endsWith(".") ? text.substring(0, text.length() - 1) : text)
            + ErrorAdvice.of(database.settings(), reason);
    return new StoreException(what, e, trouble(String.valueOf(reason.getSQLState())));
  }

  /** The reason of the reason, where a pool only says that it has no connection. */
  private static SQLException reason(SQLException e) {
    SQLException deepest = e;
    for (Throwable cause = e; cause != null; cause = cause.getCause()) {
      if (cause instanceof SQLException found) {
        deepest = found;
      }
    }
    return deepest;
  }

  private static String redacted(Database database, String text) {
    @Nullable String password = database.settings().password();
    return password == null || password.isEmpty() ? text : text.replace(password, "…");
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
