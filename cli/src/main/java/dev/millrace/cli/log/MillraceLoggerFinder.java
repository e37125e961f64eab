package dev.millrace.cli.log;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.text.MessageFormat;
import java.util.ResourceBundle;
import org.jspecify.annotations.Nullable;

/** Directs every {@link System.Logger} of this process to the {@link Log}. */
public final class MillraceLoggerFinder extends System.LoggerFinder {
  @Override
  public Logger getLogger(String name, Module module) {
    return new Named(name, least(name));
  }

  /** The lowest level of a logger. Libraries log less; the web server warns about client errors. */
  private static Level least(String name) {
    if (name.startsWith("dev.millrace")) {
      return Level.ALL;
    }
    return name.startsWith("io.helidon") ? Level.ERROR : Level.WARNING;
  }

  private record Named(String name, Level least) implements Logger {
    @Override
    public String getName() {
      return name;
    }

    @Override
    public boolean isLoggable(Level level) {
      return Log.isEnabled(level) && level.getSeverity() >= least.getSeverity();
    }

    @Override
    public void log(
        Level level,
        @Nullable ResourceBundle bundle,
        @Nullable String message,
        @Nullable Throwable problem) {
      if (isLoggable(level)) {
        Log.write(level, String.valueOf(message), problem);
      }
    }

    @Override
    public void log(
        Level level,
        @Nullable ResourceBundle bundle,
        @Nullable String format,
        @Nullable Object @Nullable ... parameters) {
      if (isLoggable(level)) {
        boolean plain = format == null || parameters == null || parameters.length == 0;
        Log.write(
            level, plain ? String.valueOf(format) : MessageFormat.format(format, parameters), null);
      }
    }
  }
}
