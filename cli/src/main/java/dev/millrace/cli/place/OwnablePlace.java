package dev.millrace.cli.place;

import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.JobStore;
import java.nio.file.Path;
import java.util.Optional;

/** A place whose jobs this process can process. One process at a time owns it. */
public interface OwnablePlace extends Place {

  /** Where it is, in full, for messages and commands to copy. */
  String location();

  /** Where its owner records the programs that it runs, for the next owner. */
  Path programs();

  /** Takes ownership; empty if another process has it. */
  Optional<JobStore> own();

  /** Waits until the owner releases the place, then takes ownership. */
  JobStore awaitOwnership() throws InterruptedException;

  /** Announces an owner that still loads its models. */
  void announceStart(JsonObject info);

  /** Announces the owner to other processes; {@code serve --status} shows {@code info}. */
  void announce(JsonObject info);

  /** Withdraws what {@link #announce} wrote, before the place is released. */
  void withdraw();

  /** Withdraws the announcement of a process that died. */
  void withdrawStaleAnnouncement();

  /** Whether that process of this machine has the lock; assumed where the system does not say. */
  boolean mayBeOwnedBy(long pid);
}
