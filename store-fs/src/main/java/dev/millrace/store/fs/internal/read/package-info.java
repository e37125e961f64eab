/**
 * Reading a workspace from its files, without a lock, while jobs move: state, views, lists, output
 * so far, position in the queue. Start at {@link FsReader}.
 */
@NullMarked
package dev.millrace.store.fs.internal.read;

import org.jspecify.annotations.NullMarked;
