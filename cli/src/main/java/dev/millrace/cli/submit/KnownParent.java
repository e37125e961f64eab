package dev.millrace.cli.submit;

import dev.millrace.cli.command.CommandException;
import dev.millrace.cli.command.ErrorCode;
import dev.millrace.cli.command.Shell;
import dev.millrace.cli.place.JobIdLookup;
import dev.millrace.cli.place.MissingJob;
import dev.millrace.cli.place.Place;
import dev.millrace.cli.place.PlaceOpener;
import dev.millrace.core.job.JobId;
import dev.millrace.core.store.StoreException;

/** Refuses a parent that is not a job of the place, before a workspace is created for the child. */
final class KnownParent {
  private KnownParent() {}

  /** The whole id of the parent, of which a part may be given. */
  static JobId find(Shell shell, String named, JobId parent) {
    if (!PlaceOpener.exists(shell, named)) {
      throw new CommandException(
          ErrorCode.NOT_FOUND, "--parent " + parent + ": there is no workspace in " + named);
    }
    try (Place place = PlaceOpener.openExisting(shell, named)) {
      JobId found = JobIdLookup.find(place, parent.value());
      if (place.reader().state(found).isEmpty()) {
        throw MissingJob.error("--parent " + parent + ": there is no such job in ", named);
      }
      return found;
    } catch (StoreException e) {
      return parent; // a key may be allowed to submit and not to read: the server accepts any
    }
  }
}
