package dev.millrace.store.postgres.internal.db;

import dev.millrace.core.store.StoreException;
import dev.millrace.core.store.health.StoreHealth.Trouble;
import java.sql.SQLException;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** What an error of the database means, for people. Never shows a password. */
final class DatabaseErrors {
  /** A password below that is part of other words, and what is left of them would show it. */
  private static final int SHORT = 4;

  private static final String WORD = "(?<![\\p{L}\\p{N}])%s(?![\\p{L}\\p{N}])";

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
    if (password == null || password.isEmpty()) {
      return text;
    }
    return password.length() < SHORT
        ? text.replaceAll(WORD.formatted(Pattern.quote(password)), "…")
        : text.replace(password, "…");
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
