package dev.millrace.core.job;

import dev.millrace.core.internal.hash.Sha256;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.UUID;
import java.util.regex.Pattern;

/**
 * A job, stage or task as one UUID of version 8. It holds the time (52 bits), process (22) and
 * counter (20) of the job's id, the number of the stage (10) and of the task (18), in this order,
 * so that UUIDs sort like ids and can be read back. Ids that do not fit (of directories with
 * foreign names) are hashed; to resolve such a UUID, compare it with the existing jobs.
 *
 * @param stage 0 for a job
 * @param task 0 for a job or a stage
 */
public record EntityId(JobId job, int stage, int task) {
  private static final int MAX_STAGE = (1 << 10) - 1;
  private static final int MAX_TASK = (1 << 18) - 1;
  private static final long MAX_PROCESS = (1L << 22) - 1;
  private static final int MAX_COUNTER = 999_999;

  /** Times from here on (the year 2103) mark a hash. */
  private static final long HASHED = 0xFL << 48;

  private static final Pattern UUID_TEXT =
      Pattern.compile("[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}");

  public EntityId {
    if (stage < 0 || stage > MAX_STAGE || task < 0 || task > MAX_TASK || stage == 0 && task > 0) {
      throw new IllegalArgumentException("no stage " + stage + ", task " + task);
    }
  }

  public static EntityId of(JobId job) {
    return new EntityId(job, 0, 0);
  }

  public static EntityId of(JobId job, int stage) {
    return new EntityId(job, stage, 0);
  }

  /** Reads the usual text form of a UUID; unlike {@link UUID#fromString}, no other form. */
  public static Optional<UUID> parse(String text) {
    return UUID_TEXT.matcher(text).matches()
        ? Optional.of(UUID.fromString(text))
        : Optional.empty();
  }

  /** The entity that a UUID names; empty if it is not one of ours, or the job's id is hashed. */
  public static Optional<EntityId> of(UUID uuid) {
    if (!isOurs(uuid) || isHashed(uuid) || stage(uuid) == 0 && task(uuid) > 0) {
      return Optional.empty();
    }
    long time = time(uuid);
    long process = (uuid.getMostSignificantBits() & 0xFF) << 14 | bits(uuid) >>> 48;
    int counter = (int) (bits(uuid) >>> 28) & 0xFFFFF;
    if (counter > MAX_COUNTER) {
      return Optional.empty();
    }
    return Optional.of(new EntityId(JobId.of(time, process, counter), stage(uuid), task(uuid)));
  }

  /** Whether it has our version and variant. */
  public static boolean isOurs(UUID uuid) {
    return uuid.version() == 8 && uuid.variant() == 2;
  }

  /** Whether the job must be found by its hash. */
  public static boolean isHashed(UUID uuid) {
    return isOurs(uuid) && time(uuid) >= HASHED;
  }

  /** The entity of that job that a UUID with a hash names; empty if it names none. */
  public static Optional<EntityId> of(UUID uuid, JobId job) {
    if (stage(uuid) == 0 && task(uuid) > 0) {
      return Optional.empty();
    }
    EntityId id = new EntityId(job, stage(uuid), task(uuid));
    return id.uuid().equals(uuid) ? Optional.of(id) : Optional.empty();
  }

  public UUID uuid() {
    long time = job.part(0);
    long process = job.part(1);
    long counter = job.part(2);
    boolean fits =
        time < HASHED
            && process <= MAX_PROCESS
            && counter <= MAX_COUNTER
            && JobId.of(time, process, (int) counter).equals(job);
    if (!fits) {
      ByteBuffer hash = hash(job);
      time = HASHED | hash.getLong() & (1L << 48) - 1;
      long rest = hash.getLong();
      process = rest & MAX_PROCESS;
      counter = rest >>> 22 & 0xFFFFF;
    }
    long most = time >>> 4 << 16 | 0x8000 | (time & 0xF) << 8 | process >>> 14;
    long least = 0x2L << 62 | (process & 0x3FFF) << 48 | counter << 28 | (long) stage << 18 | task;
    return new UUID(most, least);
  }

  /** The text of its UUID. */
  @Override
  public String toString() {
    return uuid().toString();
  }

  private static long time(UUID uuid) {
    long most = uuid.getMostSignificantBits();
    return most >>> 16 << 4 | most >>> 8 & 0xF;
  }

  private static long bits(UUID uuid) {
    return uuid.getLeastSignificantBits() & (1L << 62) - 1;
  }

  private static int stage(UUID uuid) {
    return (int) (bits(uuid) >>> 18) & MAX_STAGE;
  }

  private static int task(UUID uuid) {
    return (int) bits(uuid) & MAX_TASK;
  }

  private static ByteBuffer hash(JobId job) {
    return ByteBuffer.wrap(Sha256.of(job.value()));
  }
}
