/** The embedded store: a job's directory is its state, and a rename is its transition. */
@NullMarked
package dev.millrace.store.fs;

import org.jspecify.annotations.NullMarked;
