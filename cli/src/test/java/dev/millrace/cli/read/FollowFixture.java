package dev.millrace.cli.read;

import dev.millrace.cli.BackgroundCommand;
import dev.millrace.cli.CommandFixture;
import dev.millrace.core.event.Cause;
import dev.millrace.core.job.JobId;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.ClaimRequest;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.task.OutputChunk;
import dev.millrace.store.fs.Workspace;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;

/** {@code flow -f} on a workspace whose server and worker are the test. */
@Timeout(60)
abstract class FollowFixture extends CommandFixture {
  static final Cause ME = Cause.user("me", null);

  JobStore store;

  @BeforeEach
  void ownWorkspace() {
    store = own();
  }

  @AfterEach
  void leaveWorkspace() {
    store.close();
  }

  final JobStore own() {
    return Workspace.open(ws).own().orElseThrow();
  }

  /** Follows a job in the background, not on a terminal. */
  final BackgroundCommand follow(String id) {
    return BackgroundCommand.start(dir, "flow", "ws", id, "-f");
  }

  final BackgroundCommand followOnTerminal(String id) {
    return BackgroundCommand.onTerminal(dir, "flow", "ws", id, "-f");
  }

  final Claim claim() {
    return claim(1).getFirst();
  }

  /** Claims that many tasks as soon as they are there. */
  final List<Claim> claim(int count) {
    List<Claim> claims = new ArrayList<>();
    long seen = 0;
    while (claims.size() < count) {
      claims.addAll(
          store.claim(new ClaimRequest(Set.of("generate"), count - claims.size(), "test", null)));
      if (claims.size() < count) {
        try {
          seen = store.awaitWork(seen, Duration.ofMillis(20));
        } catch (InterruptedException e) {
          throw new AssertionError("nothing to claim", e);
        }
      }
    }
    return claims;
  }

  /** Claims a task and fixes its terms, so that text can follow. */
  final Claim begin() {
    return begin(1);
  }

  /** The same with another seed: what was journaled with the old one is dropped. */
  final Claim begin(int seed) {
    Claim claim = claim();
    store.freeze(claim, JsonObject.create().put("seed", seed));
    return claim;
  }

  final void append(Claim claim, String text) {
    store.appendJournal(claim, new OutputChunk(List.of(1), text));
  }

  final void pause(String id) {
    store.pause(new JobId(id), ME);
  }

  final void resume(String id) {
    store.resume(new JobId(id), ME);
  }

  final void approve(String id, int stage) {
    store.approve(new JobId(id), stage, ME);
  }
}
