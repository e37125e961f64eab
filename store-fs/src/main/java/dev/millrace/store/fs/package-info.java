/**
 * The embedded job store: a workspace directory in which the directory of a job stands for its
 * state and a rename for a transition. Any process may submit and read; one process at a time owns
 * the workspace and processes its jobs, and {@link OwnerStatus} says which one. Start at {@link
 * Workspace}.
 */
@NullMarked
package dev.millrace.store.fs;

import org.jspecify.annotations.NullMarked;
