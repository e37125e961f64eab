/**
 * What the owner does for workers: hands out tasks, takes their answers, ends claims whose time is
 * over, and answers workers whose job has ended. Start at {@link Claimer}.
 */
@NullMarked
package dev.millrace.store.fs.internal.claim;

import org.jspecify.annotations.NullMarked;
