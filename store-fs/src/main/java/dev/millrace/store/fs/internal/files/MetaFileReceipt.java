package dev.millrace.store.fs.internal.files;

import dev.millrace.core.internal.rules.TaskFold;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.task.FencingToken;
import dev.millrace.store.fs.internal.disk.Disk;
import dev.millrace.store.fs.internal.disk.UnsyncedChanges;
import dev.millrace.store.fs.internal.files.JobFiles.JobDirectory;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * The receipt in a plain job's {@code meta.json}. It is durable before its answer is recorded, so
 * until the job has ended it names its claim: a crash may leave the receipt of an attempt that does
 * not count. It is written to a separate file, which then replaces {@code meta.json} by a rename:
 * at every moment one of the two has it.
 */
final class MetaFileReceipt {
  private static final String RECEIPT = "receipt";
  private static final String CLAIM = "receipt_claim";

  /** The file that replaces {@code meta.json} when the answer is recorded. */
  private static final String NEXT = JobMetaFile.FILE + ".receipt";

  private MetaFileReceipt() {}

  /** Writes the file that {@link #publish} renames. */
  static void prepare(JobDirectory at, JsonObject meta, UnsyncedChanges unsynced)
      throws IOException {
    at.disk().write(at.file(NEXT), JobMetaFile.bytes(meta));
    unsynced.addFile(at.file(NEXT)).addDirectory(at.dir());
  }

  static void publish(JobDirectory at) throws IOException {
    at.disk().rename(at.file(NEXT), at.file(JobMetaFile.FILE));
  }

  /** Stores the receipt of an answer to a claim; null: none. */
  static void put(JsonObject meta, FencingToken claim, @Nullable JsonObject receipt) {
    meta.values().remove(RECEIPT);
    meta.put(CLAIM, claim.toString()).putIfPresent(RECEIPT, receipt);
  }

  /** Stores the receipt of an adopted result, which belongs to no claim. */
  static void putAdopted(JsonObject meta, JsonObject receipt) {
    meta.put(RECEIPT, receipt);
  }

  static @Nullable JsonObject of(JsonObject meta) {
    return meta.has(RECEIPT) ? meta.object(RECEIPT) : null;
  }

  /** Keeps the receipt of that claim, wherever a crash left it, and no other. */
  static void keepOnly(
      JobDirectory at, JsonObject meta, FencingToken claim, UnsyncedChanges unsynced)
      throws IOException {
    if (meta.has("completed_at") && !meta.has(CLAIM)) {
      return; // left by a process that was killed before the last rename
    }
    if (!isOf(meta, claim)) {
      JsonObject next = JobMetaFile.read(at.disk(), at.dir(), NEXT);
      put(meta, claim, isOf(next, claim) ? of(next) : null);
      if (isOf(next, claim)) {
        publish(at);
        unsynced.addDirectory(at.dir());
      }
    }
    meta.values().remove(CLAIM);
  }

  /**
   * Call after {@link #keepOnly}: a file that has not replaced {@code meta.json} by now never will.
   */
  static void tidy(JobDirectory at) throws IOException {
    if (at.disk().kind(at.file(NEXT)) == Disk.Kind.FILE) {
      at.disk().delete(at.file(NEXT));
    }
  }

  private static boolean isOf(JsonObject meta, FencingToken claim) {
    return claim.toString().equals(meta.get(CLAIM));
  }

  /** The receipt of a completed task. */
  static @Nullable JsonObject read(JobDirectory at, JsonObject meta, TaskFold fold)
      throws IOException {
    // What was read before the job ended may be older than the completion.
    JsonObject newest = meta.has("completed_at") ? meta : JobMetaFile.read(at.disk(), at.dir());
    boolean counts = !newest.has(CLAIM) || fold.token() != null && isOf(newest, fold.token());
    return counts ? of(newest) : null;
  }
}
