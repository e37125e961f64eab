/**
 * Jobs on their way from one store to another: a job as a stream of records that every store can
 * write and read, and the steps that make a crash at any moment harmless.
 */
@NullMarked
package dev.millrace.core.move;

import org.jspecify.annotations.NullMarked;
