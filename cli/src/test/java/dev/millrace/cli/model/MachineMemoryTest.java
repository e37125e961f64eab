package dev.millrace.cli.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MachineMemoryTest {
  private static final long GIB = 1L << 30;

  @TempDir Path root;

  @BeforeEach
  void machine() throws IOException {
    file(
        "proc/meminfo", "MemTotal:       16777216 kB\nMemFree: 1 kB\nMemAvailable:   8388608 kB\n");
  }

  private void file(String path, String text) throws IOException {
    Path file = root.resolve(path);
    Files.createDirectories(file.getParent());
    Files.writeString(file, text);
  }

  private void group(String path, String limit, long used, long cached) throws IOException {
    file("sys/fs/cgroup/" + path + "/memory.max", limit + "\n");
    file("sys/fs/cgroup/" + path + "/memory.current", used + "\n");
    file("sys/fs/cgroup/" + path + "/memory.stat", "anon 1\ninactive_file " + cached + "\n");
  }

  private MachineMemory read() {
    return MachineMemory.read(root);
  }

  @Test
  void withoutALimitTheMachineCounts() throws IOException {
    MachineMemory plain = new MachineMemory(16 * GIB, OptionalLong.empty(), 8 * GIB);
    assertThat(read()).isEqualTo(plain);
    assertThat(read().total()).isEqualTo(16 * GIB);
    file("proc/self/cgroup", "0::/user.slice/x.scope\nnonsense\n");
    group("user.slice/x.scope", "max", 5, 5);
    assertThat(read()).isEqualTo(plain);
    group("user.slice", String.valueOf(64 * GIB), 5, 5);
    assertThat(read()).as("more than there is").isEqualTo(plain);
  }

  @Test
  void theSmallestLimitOfAllGroupsCounts() throws IOException {
    file("proc/self/cgroup", "0::/a/b/c\n");
    group("a/b/c", String.valueOf(6 * GIB), GIB, 0);
    group("a/b", "max", 3 * GIB, 0);
    group("a", String.valueOf(4 * GIB), 3 * GIB, GIB);
    assertThat(read()).isEqualTo(new MachineMemory(16 * GIB, OptionalLong.of(4 * GIB), 2 * GIB));
    assertThat(read().total()).isEqualTo(4 * GIB);
  }

  @Test
  void versionOneIsReadToo() throws IOException {
    file("proc/self/cgroup", "5:cpu,memory:/docker/1\n0::/\n");
    file("sys/fs/cgroup/memory/memory.limit_in_bytes", String.valueOf(2 * GIB));
    file("sys/fs/cgroup/memory/memory.usage_in_bytes", String.valueOf(GIB));
    assertThat(read().limit()).as("the container sees its group as the root").hasValue(2 * GIB);
    assertThat(read().available()).isEqualTo(GIB);
    file("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712");
    assertThat(read().limit()).isEmpty();
  }

  @Test
  void aGroupOutsideOfTheNamespaceIsNotFollowed() throws IOException {
    file("proc/self/cgroup", "0::/../../proc\n");
    group("", String.valueOf(GIB), 0, 0);
    assertThat(read().limit()).hasValue(GIB);
  }

  @Test
  void anotherSystemIsAsked() {
    MachineMemory memory = MachineMemory.read(root.resolve("none"));
    assertThat(memory.installed()).isPositive();
    assertThat(memory.available()).isPositive();
  }

  @Test
  void yesTightAndNoFollowFromTheNumbers() {
    MachineMemory memory = new MachineMemory(16 * GIB, OptionalLong.of(10 * GIB), 4 * GIB);
    assertThat(ModelFit.answer(4 * GIB, 2 * GIB, memory)).isEqualTo(ModelFit.Answer.YES);
    assertThat(ModelFit.answer(4 * GIB + 1, 2 * GIB, memory)).isEqualTo(ModelFit.Answer.TIGHT);
    assertThat(ModelFit.answer(20 * GIB, 10 * GIB, memory)).isEqualTo(ModelFit.Answer.TIGHT);
    assertThat(ModelFit.answer(20 * GIB, 10 * GIB + 1, memory)).isEqualTo(ModelFit.Answer.NO);
    MachineMemory idle = new MachineMemory(10 * GIB, OptionalLong.empty(), 9 * GIB);
    assertThat(ModelFit.answer(6 * GIB, 2 * GIB, idle))
        .as("a server takes half of the memory by default")
        .isEqualTo(ModelFit.Answer.TIGHT);
  }
}
