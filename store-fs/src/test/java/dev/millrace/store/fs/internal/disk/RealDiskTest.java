package dev.millrace.store.fs.internal.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.store.fs.internal.files.StrictUtf8;
import dev.millrace.store.fs.internal.fixture.RealWorkspaceCase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Behaviour of the operating system's files that a simulation does not show. */
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RealDiskTest {
  @TempDir Path dir;

  @Test
  void anInterruptNeitherLosesNorRepeatsAnAppend() throws InterruptedException {
    RealDisk disk = new RealDisk(dir);
    AtomicBoolean done = new AtomicBoolean();
    Throwable[] problem = {null};
    Thread writer =
        Thread.ofPlatform()
            .start(
                () -> {
                  try {
                    for (int file = 0; file < 400; file++) {
                      for (int line = 0; line < 5; line++) {
                        disk.append(
                            dir.resolve("file" + file), StrictUtf8.bytes(file + " " + line + "\n"));
                      }
                    }
                  } catch (IOException | RuntimeException e) {
                    problem[0] = e;
                  } finally {
                    done.set(true);
                  }
                });
    while (!done.get()) {
      writer.interrupt();
      Thread.onSpinWait();
    }
    writer.join();
    assertThat(problem[0]).isNull();
    for (int file = 0; file < 400; file++) {
      assertThat(dir.resolve("file" + file))
          .hasContent("%1$d 0%n%1$d 1%n%1$d 2%n%1$d 3%n%1$d 4%n".formatted(file));
    }
  }

  @Test
  void aFifoIsRefusedByEveryOperation() throws IOException, InterruptedException {
    RealDisk disk = new RealDisk(dir);
    Path fifo = dir.resolve("fifo");
    RealWorkspaceCase.fifo(fifo);
    assertThat(disk.kind(fifo)).isEqualTo(Disk.Kind.OTHER);
    assertThatThrownBy(() -> disk.read(fifo, 1)).isInstanceOf(Disk.NotRegularException.class);
    assertThatThrownBy(() -> disk.read(fifo, 0, 1)).isInstanceOf(Disk.NotRegularException.class);
    assertThatThrownBy(() -> disk.write(fifo, new byte[1]))
        .isInstanceOf(Disk.NotRegularException.class);
    assertThatThrownBy(() -> disk.writeSynced(fifo, new byte[1]))
        .isInstanceOf(Disk.NotRegularException.class);
    assertThatThrownBy(() -> disk.append(fifo, new byte[1]))
        .isInstanceOf(Disk.NotRegularException.class);
  }

  @Test
  void aLinkIsRefusedByEveryOperation() throws IOException {
    RealDisk disk = new RealDisk(dir);
    Path target = Files.writeString(dir.resolve("target"), "x");
    Path link = Files.createSymbolicLink(dir.resolve("link"), target);
    assertThatThrownBy(() -> disk.read(link, 1)).isInstanceOf(Disk.NotRegularException.class);
    assertThatThrownBy(() -> disk.read(link, 0, 1)).isInstanceOf(Disk.NotRegularException.class);
    assertThatThrownBy(() -> disk.write(link, new byte[1]))
        .isInstanceOf(Disk.NotRegularException.class);
    assertThatThrownBy(() -> disk.append(link, new byte[1]))
        .isInstanceOf(Disk.NotRegularException.class);
    assertThatThrownBy(() -> disk.truncate(link, 0)).isInstanceOf(IOException.class);
    assertThat(target).hasContent("x");
    DirectoryDeleter.delete(disk, link);
    assertThat(target).exists();
  }
}
