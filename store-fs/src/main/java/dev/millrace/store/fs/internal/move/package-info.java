/** Moves jobs out of a workspace and into it. */
@NullMarked
package dev.millrace.store.fs.internal.move;

import org.jspecify.annotations.NullMarked;
