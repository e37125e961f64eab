package dev.millrace.core.time;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Steady time: it starts at the wall time at which the process starts, and from then on only
 * monotonic time moves it. Setting the wall clock does not change it, and suspending the machine
 * stops it.
 *
 * <p>Logs hold wall times. To find out when something was logged, the timeline remembers when the
 * wall clock was set: as often as someone asks for the time, it compares the two clocks.
 * Thread-safe.
 */
public final class ProcessTimeline implements LogTimes {

  /** The wall clock was set if it is off by more than this. */
  private static final Duration TOLERANCE = Duration.ofSeconds(1);

  /** Of a clock that is set all the time, the oldest settings are forgotten. */
  private static final int MOST_SETTINGS = 100;

  /** Of so many jobs it is known when one from the future was first read. */
  private static final int MOST_EARLY_JOBS = 10_000;

  /**
   * A time without a setting of the wall clock.
   *
   * @param ahead how far the wall clock was ahead of steady time
   * @param from its first steady time
   */
  private record Setting(Duration ahead, Instant from) {
    Instant wall(Instant steady) {
      return steady.plus(ahead);
    }
  }

  private final ProcessClock clock;
  private final Instant opened;
  private final long openedNanos;
  private volatile List<Setting> settings;
  private volatile Instant looked;

  /** When jobs were first read whose submission was ahead of the clock; guarded by itself. */
  private final Map<String, Instant> firstRead =
      new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Instant> eldest) {
          return size() > MOST_EARLY_JOBS;
        }
      };

  public ProcessTimeline(Clock clock) {
    this.clock = ProcessClock.of(clock);
    this.opened = micros(clock.instant());
    this.openedNanos = this.clock.nanoTime();
    this.settings = List.of(new Setting(Duration.ZERO, opened));
    this.looked = opened;
  }

  /** Now, in whole microseconds. */
  public Moment now() {
    Instant wall = micros(clock.instant());
    // Last: if the thread is held up in between, no lease is granted from before that.
    Instant steady = micros(opened.plusNanos(clock.nanoTime() - openedNanos));
    Duration ahead = Duration.between(steady, wall);
    if (isNew(ahead)) {
      remember(ahead);
    }
    looked = steady;
    return new Moment(wall, steady);
  }

  private boolean isNew(Duration ahead) {
    return ahead.minus(settings.getLast().ahead()).abs().compareTo(TOLERANCE) > 0;
  }

  /** The clock was set since the last look. */
  private synchronized void remember(Duration ahead) {
    if (isNew(ahead)) {
      List<Setting> more = new ArrayList<>(settings);
      more.add(new Setting(ahead, looked));
      if (more.size() > MOST_SETTINGS) {
        more.remove(1); // the first one stands for all times before this process
      }
      settings = List.copyOf(more);
    }
  }

  /**
   * The same for the log of one job, which may be read often. If its submission is ahead of the
   * clock, because that was set back before this process started, it counts as submitted when it is
   * first read: otherwise each reading would postpone its timeout.
   */
  public LogTimes of(String job) {
    return new LogTimes() {
      @Override
      public Instant submitted(Instant logged) {
        return submittedOf(job, logged);
      }

      @Override
      public Instant written(Instant logged) {
        return ProcessTimeline.this.written(logged);
      }

      @Override
      public Instant opened() {
        return opened;
      }
    };
  }

  private Instant submittedOf(String job, Instant logged) {
    Moment now = now();
    Instant time = steadyTimeOf(logged, now);
    boolean unknown = time.equals(now.steady()) && logged.isAfter(now.wall());
    synchronized (firstRead) {
      Instant first = firstRead.get(job);
      if (first == null && unknown) {
        firstRead.put(job, time);
      }
      return first == null ? time : first;
    }
  }

  @Override
  public Instant opened() {
    return opened;
  }

  @Override
  public Instant submitted(Instant logged) {
    return steadyTimeOf(logged, now());
  }

  @Override
  public Instant written(Instant logged) {
    Moment now = now();
    return logged.isAfter(now.wall()) ? now.steady() : steadyTimeOf(logged, now);
  }

  /** The last time at which the wall clock showed that time. */
  private Instant steadyTimeOf(Instant logged, Moment now) {
    Instant end = now.steady();
    Instant latest = null;
    List<Setting> all = settings;
    for (int i = all.size() - 1; i >= 0; i--) {
      Setting setting = all.get(i);
      if (i == 0 || !logged.isBefore(setting.wall(setting.from()))) {
        if (!logged.isAfter(setting.wall(end))) {
          return logged.minus(setting.ahead());
        }
        latest = latest == null ? end : latest;
      }
      end = setting.from();
    }
    return Objects.requireNonNull(latest, "the first setting has no beginning");
  }

  private static Instant micros(Instant time) {
    return time.truncatedTo(ChronoUnit.MICROS);
  }
}
