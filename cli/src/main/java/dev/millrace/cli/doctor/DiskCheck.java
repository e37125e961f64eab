package dev.millrace.cli.doctor;

import dev.millrace.cli.command.SuggestedCommand;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/** Checks the file system of a workspace: its type and free space. */
public final class DiskCheck {
  private static final Set<String> LOCAL =
      Set.of(
          "ext2", "ext3", "ext4", "xfs", "btrfs", "zfs", "f2fs", "jfs", "apfs", "hfs", "bcachefs");
  private static final Set<String> MEMORY = Set.of("tmpfs", "ramfs", "devtmpfs");
  private static final long SMALL = 1_000_000_000;
  private static final long TINY = 50_000_000;

  private final Path workspace;

  public DiskCheck(Path workspace) {
    this.workspace = workspace;
  }

  public void run(Findings findings) throws IOException {
    FileStore store = Files.getFileStore(workspace);
    type(findings, store.type().toLowerCase(Locale.ROOT));
    space(findings, store.getUsableSpace());
    inodes(findings);
  }

  private void type(Findings findings, String type) {
    if (MEMORY.contains(type)) {
      findings.warn(
          "file system",
          type + ": jobs are lost when the machine restarts",
          "put the workspace on a disk if they must survive");
    } else if (LOCAL.contains(type)) {
      findings.ok("file system", type);
    } else {
      findings.warn(
          "file system",
          type + ": locks, renames or syncs may be unreliable",
          "use a local file system such as ext4, xfs, btrfs or apfs; over a network, run the server"
              + " where the disk is");
    }
  }

  private void space(Findings findings, long free) {
    String text = String.format(Locale.ROOT, "%.1f GB free", free / 1e9);
    String remedy =
        "free some: "
            + SuggestedCommand.of("prune")
                .on(workspace.toString())
                .with("--older-than", "30d")
                .to("deletes old finished jobs");
    if (free < TINY) {
      findings.fail("space", text, remedy);
    } else if (free < SMALL) {
      findings.warn("space", text, remedy);
    } else {
      findings.ok("space", text);
    }
  }

  /** Java does not know the number of inodes; df(1) does. */
  private void inodes(Findings findings) throws IOException {
    Optional<long[]> counts = df();
    if (counts.isEmpty() || counts.get()[0] == 0) {
      findings.ok("inodes", "this file system does not count them");
      return;
    }
    long all = counts.get()[0];
    long free = counts.get()[1];
    String text = String.format(Locale.ROOT, "%,d of %,d free", free, all);
    if (free < 1_000) {
      findings.fail("inodes", text, "a job needs several: delete files, or prune finished jobs");
    } else if (free < all / 20) {
      findings.warn("inodes", text, "prune finished jobs, or use a file system with more");
    } else {
      findings.ok("inodes", text);
    }
  }

  /** All and free inodes. */
  private Optional<long[]> df() throws IOException {
    ProcessBuilder builder = new ProcessBuilder("df", "-Pi", workspace.toString());
    builder.environment().put("LC_ALL", "C");
    builder.redirectError(ProcessBuilder.Redirect.DISCARD);
    try {
      Process process = builder.start();
      process.getOutputStream().close();
      String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      process.waitFor(5, TimeUnit.SECONDS);
      String[] lines = text.strip().split("\n");
      String[] words = lines[lines.length - 1].split("\\s+");
      return Optional.of(new long[] {Long.parseLong(words[1]), Long.parseLong(words[3])});
    } catch (NumberFormatException | ArrayIndexOutOfBoundsException e) {
      return Optional.empty();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return Optional.empty();
    }
  }
}
