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
 * The receipt in a plain job's {@code meta.json}. It is durable before the answer that it belongs
 * to is recorded, so until the job has ended it says whose it is: a crash may leave that of an
 * attempt which does not count. It comes in a file of its own name, which takes the place of {@code
 * meta.json} by a rename: at every moment one of the two has it.
 */
final class MetaFileReceipt {
  private static final String RECEIPT = "receipt";
  private static final String CLAIM = "receipt_claim";

  /** What will be {@code meta.json} as soon as the answer is recorded. */
  private static final String NEXT = JobMetaFile.FILE + ".receipt";

  private MetaFileReceipt() {}

  /** Writes what {@link #publish} puts in place. */
  static void prepare(JobDirectory at, JsonObject meta, UnsyncedChanges unsynced) throws IOException {
    at.disk().write(at.file(NEXT), JobMetaFile.bytes(meta));
    unsynced.addFile(at.file(NEXT)).addDirectory(at.dir());
  }

  static void publish(JobDirectory at) throws IOException {
    at.disk().rename(at.file(NEXT), at.file(JobMetaFile.FILE));
  }

  /** Notes what the answer to a claim came with; null: nothing. */
  static void put(JsonObject meta, FencingToken claim, @Nullable JsonObject receipt) {
    meta.values().remove(RECEIPT);
    meta.put(CLAIM, claim.toString()).putIfPresent(RECEIPT, receipt);
  }

  static @Nullable JsonObject of(JsonObject meta) {
    return meta.has(RECEIPT) ? meta.object(RECEIPT) : null;
  }

  /** Leaves the receipt of that claim, wherever a crash left it, and no other. */
  static void keepOnly(JobDirectory at, JsonObject meta, FencingToken claim, UnsyncedChanges unsynced)
      throws IOException {
    if (meta.has("completed_at") && !meta.has(CLAIM)) {
      return; // by one that was killed before the last rename
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

  /** After {@link #keepOnly}: what is still to take the place of {@code meta.json} never will. */
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
