package dev.millrace.cli.place;

import dev.millrace.cli.command.CommandException;
import dev.millrace.cli.command.ErrorCode;
import dev.millrace.cli.command.Shell;
import dev.millrace.cli.command.SuggestedCommand;
import dev.millrace.core.move.MovableStore;
import dev.millrace.store.fs.OwnerStatus;
import dev.millrace.store.fs.Workspace;
import java.util.ArrayDeque;
import java.util.Deque;

/** The two stores of a move, for this process alone as far as that is needed. */
public final class MoveStores implements AutoCloseable {
  private final Deque<AutoCloseable> open = new ArrayDeque<>();

  /** Opens the store that jobs move out of: nobody serves it, or may start to. */
  public MovableStore from(Shell shell, String named) {
    return switch (PlaceOpener.openExisting(shell, named)) {
      case LocalWorkspace place -> own(place);
      case DatabasePlace place -> {
        open.push(place);
        yield keep(place.ownToMove());
      }
      default -> throw refusal(named);
    };
  }

  /** Opens the store that jobs move into. A workspace is created if it does not exist. */
  public MovableStore to(Shell shell, String named, MovableStore from) {
    return switch (PlaceOpener.openToSubmit(shell, named)) {
      case LocalWorkspace place -> own(place);
      case DatabasePlace place -> {
        open.push(place);
        if (from.identity().equals(place.identity())) { // else it would wait for itself
          throw new CommandException(from.name() + " and " + place.name() + " are the same store");
        }
        yield keep(place.visitToMove());
      }
      default -> throw refusal(named);
    };
  }

  private static CommandException refusal(String named) {
    return new CommandException(
        named
            + " is a server's URL; a move needs the store itself: give the directory of the"
            + " workspace, or the postgresql:// address of the database");
  }

  private MovableStore keep(MovableStore store) {
    open.push(store);
    return store;
  }

  private MovableStore own(LocalWorkspace place) {
    Workspace workspace = place.workspace();
    return keep(workspace.ownToMove(place.location()).orElseThrow(() -> served(workspace)));
  }

  private static CommandException served(Workspace workspace) {
    OwnerStatus owner = workspace.owner();
    String pid = owner.pid().isPresent() ? " (pid " + owner.pid().getAsLong() + ")" : "";
    return CommandException.suggesting(
        ErrorCode.FAILED,
        "another process" + pid + " owns " + workspace.root() + ", and a move needs it for itself",
        SuggestedCommand.of("serve").on(workspace.root().toString()).with("--stop"),
        "ends its server");
  }

  /** Releases what was opened, the last first. */
  @Override
  public void close() {
    RuntimeException first = null;
    while (!open.isEmpty()) {
      try {
        open.pop().close();
      } catch (RuntimeException e) {
        first = first == null ? e : first;
      } catch (Exception e) {
        first = first == null ? new IllegalStateException(e) : first;
      }
    }
    if (first != null) {
      throw first;
    }
  }
}
