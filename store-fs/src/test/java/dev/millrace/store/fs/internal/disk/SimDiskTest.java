package dev.millrace.store.fs.internal.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.store.fs.internal.disk.Disk.Kind;
import dev.millrace.store.fs.internal.disk.SimDisk.Cut;
import dev.millrace.store.fs.internal.disk.SimDisk.Stopped;
import dev.millrace.store.fs.internal.disk.SimFiles.Loss;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The simulated disk behaves like the real one, and loses what a strict one may lose. */
class SimDiskTest {
  private static final Path A = Path.of("/a");
  private static final Path B = Path.of("/b");
  private static final Path FILE = A.resolve("file");

  private final SimDisk disk = new SimDisk();

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static SimDisk lost(SimDisk disk) {
    return disk.afterPowerLoss(Loss.NOTHING_SURVIVES, new SplittableRandom(1));
  }

  private void directories() throws IOException {
    disk.createDirectory(A);
    disk.createDirectory(B);
    disk.syncDirectory(Path.of("/"));
  }

  @Test
  void aSyncedFileWithoutASyncedNameIsLost() throws IOException {
    directories();
    disk.writeSynced(FILE, bytes("x"));
    assertThat(lost(disk).kind(FILE)).isEqualTo(Kind.NOTHING);
    disk.syncDirectory(A);
    assertThat(lost(disk).read(FILE, 9)).isEqualTo(bytes("x"));
  }

  @Test
  void aSyncedNameWithoutASyncedFileIsEmpty() throws IOException {
    directories();
    disk.write(FILE, bytes("x"));
    disk.syncDirectory(A);
    assertThat(lost(disk).read(FILE, 9)).isEmpty();
  }

  @Test
  void whatWasAppendedAfterASyncIsLost() throws IOException {
    directories();
    disk.writeSynced(FILE, bytes("x"));
    disk.syncDirectory(A);
    disk.append(FILE, bytes("y"));
    assertThat(lost(disk).read(FILE, 9)).isEqualTo(bytes("x"));
    assertThat(disk.afterKill().read(FILE, 9)).isEqualTo(bytes("xy"));
  }

  @Test
  void aRenameLastsWithASyncOfEitherSideAndIsNeverHalfDone() throws IOException {
    for (Path synced : List.of(A, B)) {
      SimDisk fresh = new SimDisk(true);
      fresh.createDirectory(A);
      fresh.createDirectory(B);
      fresh.syncAll();
      fresh.createDirectory(A.resolve("job"));
      fresh.rename(A.resolve("job"), B.resolve("job"));
      assertThat(lost(fresh).kind(B.resolve("job"))).isEqualTo(Kind.NOTHING);
      fresh.syncDirectory(synced);
      assertThat(lost(fresh).kind(B.resolve("job"))).isEqualTo(Kind.DIRECTORY);
      assertThat(lost(fresh).kind(A.resolve("job"))).isEqualTo(Kind.NOTHING);
    }
  }

  @Test
  void afterAPowerLossADirectoryHasAtMostOneName() throws IOException {
    directories();
    for (String name : List.of("1", "2", "3")) {
      disk.createDirectory(A.resolve(name));
      disk.rename(A.resolve(name), B.resolve(name));
      disk.rename(B.resolve(name), A.resolve(name));
    }
    Set<String> seen = new HashSet<>();
    for (int seed = 0; seed < 200; seed++) {
      for (Loss loss : Loss.values()) {
        SimDisk found = disk.afterPowerLoss(loss, new SplittableRandom(seed));
        List<String> names = new ArrayList<>();
        found.list(A, names::add);
        found.list(B, names::add);
        assertThat(names).doesNotHaveDuplicates();
        seen.add(String.join(" ", names));
      }
    }
    assertThat(seen).as("the losses differ").hasSizeGreaterThan(5);
  }

  @Test
  void aTornFileEndsAnywhereAndMayBeFullOfZeros() throws IOException {
    directories();
    disk.writeSynced(FILE, bytes("safe"));
    disk.syncDirectory(A);
    disk.append(FILE, bytes("more"));
    Set<String> seen = new HashSet<>();
    for (int seed = 0; seed < 500; seed++) {
      SimDisk found = disk.afterPowerLoss(Loss.RANDOM_SURVIVES, new SplittableRandom(seed));
      seen.add(new String(found.read(FILE, 9), StandardCharsets.UTF_8));
    }
    assertThat(seen)
        .allMatch(text -> text.startsWith("safe"))
        .contains("safe", "safem", "safemo", "safemor", "safemore", "safemo\0\0");
  }

  @Test
  void aProgramStopsAtTheGivenOperation() throws IOException {
    directories();
    disk.stopAt(disk.operations() + 2, Cut.MIDDLE);
    assertThatThrownBy(() -> disk.write(FILE, bytes("four")))
        .isInstanceOf(Stopped.class)
        .hasMessage("MIDDLE 5 PUT_BYTES /a/file");
    assertThatThrownBy(() -> disk.read(FILE, 9)).isInstanceOf(Stopped.class);
    assertThat(disk.afterKill().read(FILE, 9)).isEqualTo(bytes("fo"));
  }

  /** Changes a file or directory and describes the result. */
  private static String step(Disk disk, Path root, SplittableRandom random) {
    Path one = path(root, random);
    Path other = path(root, random);
    int what = random.nextInt(12);
    int length = random.nextInt(5);
    try {
      return switch (what) {
        case 0, 1 -> {
          disk.createDirectory(one);
          yield "made";
        }
        case 2 -> {
          disk.write(one, new byte[length]);
          yield "written";
        }
        case 3 -> {
          disk.append(one, new byte[length]);
          yield "appended";
        }
        case 4, 5 -> {
          disk.rename(one, other);
          yield "renamed";
        }
        case 6 -> {
          disk.delete(one);
          yield "deleted";
        }
        case 7 -> {
          disk.truncate(one, disk.size(one) / 2);
          yield "cut";
        }
        case 8 -> disk.read(one, 6).length + " bytes";
        case 9 -> {
          List<String> names = new ArrayList<>();
          disk.list(one, names::add);
          yield names.stream().sorted().toList().toString();
        }
        case 10 -> disk.read(one, 1, length).length + " of its bytes";
        default -> disk.kind(one).toString();
      };
    } catch (IOException e) {
      return "failed";
    }
  }

  private static Path path(Path root, SplittableRandom random) {
    Path path = root;
    for (int depth = 1 + random.nextInt(2); depth > 0; depth--) {
      path = path.resolve(String.valueOf((char) ('a' + random.nextInt(3))));
    }
    return path;
  }

  @Test
  void theSameStepsHaveTheSameEffectsOnTheRealDisk(@TempDir Path dir) throws IOException {
    long seed = Long.getLong("millrace.seed", System.nanoTime());
    System.out.println("SimDiskTest: seed " + seed);
    SplittableRandom random = new SplittableRandom(seed);
    for (int round = 0; round < 50; round++) {
      Path root = dir.resolve("round" + round);
      SimDisk sim = new SimDisk();
      Disk real = new RealDisk(root);
      for (Path up = root; up.getNameCount() > 0; up = up.getParent()) {
        makeParents(sim, up);
      }
      real.createDirectory(root);
      for (int i = 0; i < 60; i++) {
        long same = random.nextLong();
        assertThat(step(sim, root, new SplittableRandom(same)))
            .as("seed %d, round %d, step %d", seed, round, i)
            .isEqualTo(step(real, root, new SplittableRandom(same)));
      }
    }
  }

  private static void makeParents(SimDisk sim, Path path) throws IOException {
    if (path.getNameCount() > 0 && sim.kind(path) == Kind.NOTHING) {
      makeParents(sim, path.getParent());
      sim.createDirectory(path);
    }
  }
}
