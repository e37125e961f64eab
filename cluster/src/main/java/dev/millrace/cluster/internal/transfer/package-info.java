/**
 * Model files, known by their SHA-256: found and hashed here, served to other nodes, or fetched
 * from them chunk by chunk with resume. Start at {@link ModelStore} for files that are here, and at
 * {@link ModelFetch} for those that are not.
 */
@NullMarked
package dev.millrace.cluster.internal.transfer;

import org.jspecify.annotations.NullMarked;
