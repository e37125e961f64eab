/**
 * What the owner does for workers: hands out tasks, takes their answers, and ends claims whose time
 * is over. {@link Retention} is for ended jobs: it answers their late workers, and deletes jobs on
 * request. Start at {@link Claimer}.
 */
@NullMarked
package dev.millrace.store.fs.internal.claim;

import org.jspecify.annotations.NullMarked;
