/** The embedded store: a directory in which a job's place is its state and a rename its transition. */
@NullMarked
package dev.millrace.store.fs;

import org.jspecify.annotations.NullMarked;
