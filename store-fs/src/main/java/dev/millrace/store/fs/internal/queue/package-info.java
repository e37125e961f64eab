/**
 * Which jobs and tasks wait to be claimed, in claim order, and statistics about them. These classes
 * hold names and numbers only and touch no files. Start at {@link ClaimQueue}.
 */
@NullMarked
package dev.millrace.store.fs.internal.queue;

import org.jspecify.annotations.NullMarked;
