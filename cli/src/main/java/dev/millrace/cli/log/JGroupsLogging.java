package dev.millrace.cli.log;

import java.io.ObjectInputFilter;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;

/**
 * The library that keeps membership has a log of its own and tells much that is no news: what
 * matters, our own lines say in plain words. Its warnings are for those who ask for details. It
 * could also read Java objects that others send, which nobody here does.
 */
public final class JGroupsLogging {
  /**
   * Its own, and that of its transport, which is a class of ours. Held, because a logger that
   * nobody holds forgets its level.
   */
  private static final List<Logger> MEMBERSHIP =
      List.of(
          Logger.getLogger("org.jgroups"),
          Logger.getLogger("dev.millrace.cluster.internal.member"));

  private JGroupsLogging() {}

  /** To be called before that library is used: it chooses where it logs when it is loaded. */
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
        logger.addHandler(new Passing());
      }
    }
  }

  /** Into our log, as a detail. */
  private static final class Passing extends Handler {
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
