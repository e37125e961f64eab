/**
 * The store of the process that owns a workspace: it puts the parts together, carries out the
 * levers of users and reads jobs from memory where it has them. Start at {@link FsStore}.
 */
@NullMarked
package dev.millrace.store.fs.internal.owner;

import org.jspecify.annotations.NullMarked;
