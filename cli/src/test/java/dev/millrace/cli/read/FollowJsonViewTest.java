package dev.millrace.cli.read;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.cli.InProcessCli;
import dev.millrace.cli.command.Shell;
import dev.millrace.cli.place.LocalWorkspace;
import dev.millrace.core.Flow.Status;
import dev.millrace.core.event.LogEntry;
import dev.millrace.core.job.JobId;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.ClaimRequest;
import dev.millrace.core.store.JobReader;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.task.OutputChunk;
import dev.millrace.core.task.TaskResult;
import dev.millrace.store.fs.Workspace;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.PrintStream;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("slow")
class FollowJsonViewTest {
  private static final int TASKS = 40;

  @TempDir Path dir;
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final AtomicInteger looks = new AtomicInteger();

  private JobReader counting(JobReader reader) {
    return (JobReader)
        Proxy.newProxyInstance(
            JobReader.class.getClassLoader(),
            new Class<?>[] {JobReader.class},
            (_, method, args) -> {
              if (method.getName().equals("tasks")) {
                looks.incrementAndGet();
              }
              return method.invoke(reader, args);
            });
  }

  private Shell shell() {
    PrintStream stream = new PrintStream(out, true, StandardCharsets.UTF_8);
    return new Shell(InputStream.nullInputStream(), stream, stream, Map.of(), dir, _ -> false);
  }

  @Test
  void tasksThatEndTogetherAreReadTogether() {
    String job =
        "{\"stages\":[{\"type\":\"generate\",\"tasks\":["
            + "\"x\",".repeat(TASKS - 1)
            + "\"x\"]}]}";
    JobId id = new JobId(new InProcessCli(dir).stdin(job).submit("ws", "--job", "-"));
    Workspace workspace = Workspace.open(dir.resolve("ws"));
    JobReader reader = counting(workspace.reader());
    FollowJsonView view =
        new FollowJsonView(
            new JobFollower.FollowedJob(
                shell(), new LocalWorkspace("ws", workspace), reader, id, WaitLimit.of(null)));
    try (JobStore store = workspace.own().orElseThrow()) {
      List<Claim> claims = store.claim(new ClaimRequest(Set.of("generate"), TASKS, "test", null));
      assertThat(claims).hasSize(TASKS);
      for (Claim claim : claims) {
        store.freeze(claim, JsonObject.create().put("seed", 1));
        store.appendJournal(claim, new OutputChunk(List.of(1), "half "));
      }
      List<LogEntry> begun = reader.events(id, 0, 1_000);
      view.events(begun);
      view.refresh(Status.RUNNING);
      claims.forEach(claim -> store.complete(claim, TaskResult.of("half and half")));
      view.events(reader.events(id, begun.size(), 1_000));
    }
    assertThat(looks).hasValue(1);
    String said = out.toString(StandardCharsets.UTF_8);
    for (int task = 1; task <= TASKS; task++) {
      String key = "{\"stage\":1,\"task\":" + task;
      assertThat(said)
          .containsSubsequence(
              key + ",\"text\":\"half \"}",
              key + ",\"text\":\"and half\"}",
              "\"event\":\"complete\"");
    }
  }
}
