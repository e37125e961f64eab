package dev.millrace.store.fs.internal.crash;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobState;
import dev.millrace.core.store.JobReader;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.TaskView;
import dev.millrace.store.fs.internal.disk.RealDisk;
import dev.millrace.store.fs.internal.fixture.ChildProcess;
import dev.millrace.store.fs.internal.fixture.OwnerProcess;
import dev.millrace.store.fs.internal.fixture.RealWorkspaceCase;
import dev.millrace.store.fs.internal.fixture.SubmitterProcess;
import dev.millrace.store.fs.internal.fixture.WorkspaceInvariants;
import java.io.IOException;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Real processes, killed with SIGKILL at any moment: servers that complete tasks, each with another
 * one waiting to take over, and programs that submit. The seed is that of
 * {@code -Dmillrace.seed=…}; {@code -Dmillrace.proof=true} kills many more.
 */
@Tag("slow")
class ProcessKillTest extends RealWorkspaceCase {
  private static final int KILLS = Boolean.getBoolean("millrace.proof") ? 2_000 : 15;
  private static final long SEED = Long.getLong("millrace.seed", System.nanoTime());

  private final SplittableRandom random = new SplittableRandom(SEED);
  private final Map<JobId, String> acknowledged = new ConcurrentHashMap<>();
  private final LongAdder completed = new LongAdder();
  private final Map<Integer, ChildProcess> servers = new TreeMap<>();
  private final BlockingQueue<Integer> owners = new LinkedBlockingQueue<>();
  private int started;

  private void startServer() throws IOException {
    int number = started++;
    servers.put(
        number,
        new ChildProcess(
            OwnerProcess.class,
            line -> {
              if (line.startsWith("completed")) {
                completed.increment();
              } else {
                owners.add(number);
              }
            },
            root,
            1 + random.nextInt(4)));
  }

  /** Kills the owner once there is one, or sometimes the server that waits to be the next. */
  private void killServer() throws Exception {
    Integer owner = owners.poll(60, TimeUnit.SECONDS);
    assertThat(owner).as("the workspace has an owner").isNotNull();
    linger();
    if (random.nextInt(4) == 0) {
      int other =
          servers.keySet().stream().filter(number -> !number.equals(owner)).findAny().orElseThrow();
      servers.remove(other).kill();
      owners.add(owner);
    } else {
      servers.remove(owner).kill();
    }
    startServer();
  }

  private ChildProcess submitter() throws IOException {
    return new ChildProcess(
        SubmitterProcess.class,
        line -> {
          String[] words = line.split(" ", 2);
          acknowledged.put(new JobId(words[0]), words[1]);
        },
        root,
        "job" + started++);
  }

  @Test
  void everyAcknowledgedJobIsCompletedOnceDespiteKills() throws Exception {
    int killed = 0;
    startServer();
    startServer();
    ChildProcess submitter = submitter();
    try {
      for (int kill = 0; kill < KILLS; kill++) {
        if (random.nextInt(3) == 0 || acknowledged.size() - completed.sum() > 1_000) {
          submitter.line(); // it came as far as submitting
          linger();
          submitter.kill();
          submitter = submitter();
        } else {
          killServer();
          killed++;
        }
      }
    } finally {
      submitter.kill();
      for (ChildProcess server : servers.values()) {
        server.kill();
      }
    }
    System.out.println(
        "ProcessKillTest: "
            + killed
            + " servers and "
            + (KILLS - killed)
            + " submitters killed, "
            + acknowledged.size()
            + " jobs acknowledged, seed "
            + SEED);
    everythingIsCompletedOnce();
  }

  /** Up to 30 ms, most of the time less. */
  private void linger() {
    LockSupport.parkNanos((long) (30_000_000 * Math.pow(random.nextDouble(), 2)));
  }

  private void everythingIsCompletedOnce() {
    assertThat(acknowledged).isNotEmpty();
    WorkspaceInvariants.hold(new RealDisk(root), layout, workspace.reader());
    JobStore store = own();
    completeAll(store);
    WorkspaceInvariants.hold(new RealDisk(root), layout, store);
    assertThat(store.list(JobReader.Query.all())).containsAll(acknowledged.keySet());
    for (JobId id : store.list(JobReader.Query.all())) {
      assertThat(store.state(id)).as("job %s", id).contains(JobState.COMPLETED);
      TaskView first = store.tasks(id, 1, 1, 1).getFirst();
      String text = String.valueOf(first.input()).split(" ")[0];
      assertThat(acknowledged.getOrDefault(id, text)).isEqualTo(text);
      assertThat(store.spec(id)).contains(SubmitterProcess.job(text));
      for (int stage = 1; stage <= store.find(id).orElseThrow().stages().size(); stage++) {
        assertThat(store.tasks(id, stage, 1, 9))
            .allSatisfy(
                task -> assertThat(task.result().text()).isEqualTo("<" + task.input() + ">"));
      }
    }
  }
}
