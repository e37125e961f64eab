/** Moves jobs out of a database and into it. */
@NullMarked
package dev.millrace.store.postgres.internal.move;

import org.jspecify.annotations.NullMarked;
