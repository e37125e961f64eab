/**
 * Texts for logs and terminals that need nothing else of the cluster. {@link FileErrors} says in
 * plain words what went wrong with a file; {@link DisplayText} has messages of exceptions, short
 * hashes, durations, and texts of other nodes made safe to print. Start at {@link FileErrors}.
 */
@NullMarked
package dev.millrace.cluster.internal.text;

import org.jspecify.annotations.NullMarked;
