package dev.millrace.cli.log;

import java.io.ObjectInputFilter;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;

/**
 * Silences the log of JGroups, the membership library: our own log lines say what matters. Its
 * warnings appear at DEBUG. It also forbids Java deserialization, which JGroups offers and Millrace
 * does not use.
 */
public final class JGroupsLogging {
  /**
   * The loggers of JGroups and of our transport for it. Strong references: a logger that is garbage
   * collected loses its level.
   */
  private static final List<Logger> MEMBERSHIP =
      List.of(
          Logger.getLogger("org.jgroups"),
          Logger.getLogger("dev.millrace.cluster.internal.member"));

  private JGroupsLogging() {}

  /** Must be called before JGroups is used: it chooses its logger when it is loaded. */
  public static synchronized void silence() {
    System.setProperty("jgroups.use.jdk_logger", "true");
    if (ObjectInputFilter.Config.getSerialFilter() == null) {
      ObjectInputFilter.Config.setSerialFilter(ObjectInputFilter.Config.createFilter("!*"));
    }
    for (Logger logger : MEMBERSHIP) {
      logger.setUseParentHandlers(false);
      logger.setLevel(
          Log.isEnabled(Level.DEBUG)
              ? java.util.logging.Level.WARNING
              : java.util.logging.Level.OFF);
      if (logger.getHandlers().length == 0) {
        logger.addHandler(new DebugHandler());
      }
    }
  }

  /** Passes records on to our log at DEBUG. */
  private static final class DebugHandler extends Handler {
    private final SimpleFormatter formatter = new SimpleFormatter();

    @Override
    public void publish(LogRecord line) {
      if (Log.isEnabled(Level.DEBUG)) {
        Log.write(Level.DEBUG, "membership: " + formatter.formatMessage(line), line.getThrown());
      }
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}
  }
}
