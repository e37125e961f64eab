/**
 * Access for a process that does not own the workspace: it asks the owner through the inbox or,
 * where there is none, owns the workspace briefly itself. Start at {@link NonOwnerControls}.
 */
@NullMarked
package dev.millrace.store.fs.internal.nonowner;

import org.jspecify.annotations.NullMarked;
